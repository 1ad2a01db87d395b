import { endWriteTurn } from '../database/connection-shares.ts';
import { RecordBusy } from '../database/errors.ts';
import { AppError } from '../errors.ts';
import { createShares, type Release } from '../load/shares.ts';

const maxWaiting = 100;

export type LockTurns = {
  /** Takes all turns in order; the result gives them back. Throws RecordBusy when the wait is too long. */
  take(locks: string[]): Promise<Release>;
};

/**
 * Requests wait here for a lock without a connection. The database's lock still decides between processes. `waitMs`: for one holder; of many
 * who come at once the last waits for all the others, and each of them is quick.
 */
export function createLockTurns(waitMs: number, mostMs?: number): LockTurns {
  const turns = createShares({ perKey: 1, maxWaiting, waitMs, mostMs, refusal: 'busy' });
  return {
    async take(locks) {
      const held: Release[] = [];
      const giveBack = () => {
        for (const release of held.splice(0)) release();
      };
      try {
        for (const lock of locks) {
          const turn = turns.take(lock);
          if (turn instanceof Promise) endWriteTurn();
          held.push(turn instanceof Promise ? await turn : turn);
        }
      } catch (error) {
        giveBack();
        throw error instanceof AppError ? new RecordBusy(error) : error;
      }
      return giveBack;
    },
  };
}
