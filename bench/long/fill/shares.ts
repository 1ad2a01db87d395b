import type { Sizes } from '../sizes.ts';

export type Shares = ReturnType<typeof sharesOf>;

/** How many rows there are of each for a message or an event. */
export function sharesOf({ messages, events, failed }: Sizes) {
  return {
    eventsPerMessage: Math.max(1, Math.round(events / messages)),
    failedDeliveries: (0.55 * failed) / events,
    // Of the messages that went out: six of ten.
    failedMessages: (0.25 * failed) / (0.6 * messages),
    brokenBodies: (0.1 * failed) / messages,
    failedOthers: (0.1 * failed) / messages,
    doneOperations: (0.05 * failed) / messages,
  };
}

/** A condition: younger than so many days. */
export const within = (days: number) => `at > now() - interval '1 day' * ${days}`;
/** A condition: of the last of the rows drawn by `s`, this share. */
export const lastOf = (share: number) => `s > 1 - ${share}`;
