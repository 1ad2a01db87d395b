import type { ChannelState, ExchangeChannel } from './find.ts';

/** Rows that an earlier request has read. What is done with one holds only after the database has given the same state again. */
export type KnownChannels = {
  of(id: string): ExchangeChannel | undefined;
  keep(id: string, channel: ExchangeChannel): void;
  forget(id: string): void;
};

const maxKept = 1_000;

export function createKnownChannels(): KnownChannels {
  const kept = new Map<string, ExchangeChannel>();
  return {
    of: (id) => kept.get(id),
    keep(id, channel) {
      if (kept.size >= maxKept) kept.delete(kept.keys().next().value!);
      kept.set(id, channel);
    },
    forget: (id) => void kept.delete(id),
  };
}

export const isSameState = (one: ChannelState, other: ChannelState) =>
  one.app_secret === other.app_secret && (one.keys === other.keys || inOrder(one.keys) === inOrder(other.keys));

/** The database gives the keys in any order. */
const inOrder = (keys: string | null) => keys?.split(',').sort().join();
