import type { Room } from './rooms.ts';

/** How many messages something still allows. `waitMs`: once it allows none, until it allows one more. */
export type Budget = { left: number; waitMs: number };
export const unbounded = (): Budget => ({ left: Number.POSITIVE_INFINITY, waitMs: 0 });

/**
 * A channel in one run. `budgets`: each must have a place for a message; those of the account and of the campaign are the same objects in other
 * turns. `beside`: what a message is taken from too, without a say: the limits of others. `hasMore`: others are due, as far as is known.
 * `isCut`: one of them had no room.
 */
export type Turn = { channel: Room; budgets: Budget[]; beside: Budget[]; made: number; hasMore: boolean; isCut: boolean };

export const newTurn = (channel: Room, budgets: Budget[], beside: Budget[] = []): Turn => ({
  ...{ channel, budgets, beside },
  ...{ made: 0, hasMore: true, isCut: false },
});

export const roomOf = ({ budgets }: Turn): number => Math.max(0, Math.floor(Math.min(...budgets.map(({ left }) => left))));

/** The place of one message, where each budget has one. */
export function takePlace(turn: Turn): boolean {
  turn.isCut ||= roomOf(turn) < 1;
  if (turn.isCut) return false;
  for (const budget of [...turn.budgets, ...turn.beside]) budget.left -= 1;
  turn.made += 1;
  return true;
}

/** Until half of the share is gone, or until what else bounds it lets one more through. */
export function waitOf({ channel: { share, share_rate, unclaimed }, budgets, made, isCut }: Turn): number {
  if (!isCut) return 0;
  const halfMs = ((unclaimed + made - share / 2) / share_rate) * 1_000;
  return Math.max(halfMs, ...budgets.filter(({ left }) => left < 1).map(({ waitMs }) => waitMs));
}
