import { AppError } from '../../../src/platform/errors.ts';

/** What one request holds of a budget. */
export type Held = {
  /** Throws `unavailable` (503, `Retry-After`) when the budget or the key's share is full. */
  add(bytes: number): void;
  /** Releases all of it. Idempotent. */
  release(): void;
};

export type ByteBudget = { hold(key: string): Held; held(): number };

type Bounds = { total: number; perKey: number; refusal?: string };
const bodiesRefusal = 'Too many bytes of request bodies at once; try again';

/** A limit on the bytes of all requests of a kind, and of each key. An idle key takes no memory. */
export function createByteBudget({ total, perKey, refusal = bodiesRefusal }: Bounds): ByteBudget {
  const keys = new Map<string, number>();
  let all = 0;
  return {
    hold(key) {
      let own = 0;
      let isReleased = false;
      return {
        add(bytes) {
          const ofKey = (keys.get(key) ?? 0) + bytes;
          if (isReleased) return;
          if (all + bytes > total || ofKey > perKey) throw new AppError('unavailable', refusal, { retryAfterSeconds: 1 });
          keys.set(key, ofKey);
          all += bytes;
          own += bytes;
        },
        release() {
          if (isReleased) return;
          isReleased = true;
          all -= own;
          const left = (keys.get(key) ?? 0) - own;
          if (left > 0) keys.set(key, left);
          else keys.delete(key);
        },
      };
    },
    held: () => all,
  };
}
