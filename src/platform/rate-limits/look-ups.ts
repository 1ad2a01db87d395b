import { AppError } from '../errors.ts';
import { countedAddress } from './address.ts';
import type { Quota } from './quota.ts';

export type LookUp = {
  right(): void;
  /** Throws `rate_limited` when the address has spent its quota. */
  wrong(): Promise<void>;
};

/** For anonymous requests that name something and must prove a secret: each look-up costs the address, until the name was right once. */
export type LookUps = {
  /**
   * Call it before the database is asked for `name`; without a name the look-up costs nothing. Throws `rate_limited` when the address has
   * spent its quota. Call `right` or `wrong` on the result.
   */
  begin(address: string, name?: string): Promise<LookUp>;
};

const maxProven = 10_000;
const nothing = () => undefined;
const free: LookUp = { right: nothing, wrong: async () => undefined };

/**
 * The provider's address never guesses. Where it shares one with an attacker, names that were right before stay free: the attacker's guesses
 * must not stop its webhooks. A wrong secret costs its address in any case.
 */
export function createLookUps(own: Quota | undefined): LookUps {
  const proven = new Set<string>();
  async function charge(quota: Quota, address: string) {
    const { isAllowed, resetSeconds } = await quota.take(address);
    if (!isAllowed) throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: resetSeconds });
  }
  return {
    async begin(from, name) {
      if (!own) return free;
      const address = `address:${countedAddress(from)}`;
      if (name === undefined || proven.has(name)) return { right: nothing, wrong: () => charge(own, address) };
      await charge(own, address);
      return {
        wrong: free.wrong,
        right() {
          own.giveBack(address);
          if (proven.size >= maxProven) proven.delete(proven.keys().next().value!);
          proven.add(name);
        },
      };
    },
  };
}
