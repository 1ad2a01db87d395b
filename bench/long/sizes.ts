/** How long the full database's tables are. */
export type Sizes = { messages: number; events: number; failed: number; organizations: number };

type Flags = { messages?: number; events: number; failed: number; organizations: number; small?: boolean };

const smallShare = 0.01;

export function sizesOf({ messages = 5_000_000, events, failed, organizations, small }: Flags): Sizes {
  const all = { messages, events, failed, organizations };
  if (!small) return all;
  return Object.fromEntries(Object.entries(all).map(([name, size]) => [name, Math.ceil(size * smallShare)])) as Sizes;
}

/** The retention times and a tenth more: what is due for a purge is there to be purged. */
export const days = { all: 33, week: 7.7, day: 1.1 };

/** Ten messages a person. */
export const peopleOf = ({ messages, organizations }: Sizes) => Math.max(Math.ceil(messages / 10), organizations);
