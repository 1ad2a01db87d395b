import { AppError } from '../errors.ts';
import { countedAddress } from './address.ts';
import type { Quota } from './quota.ts';

export type LookUp = {
  right(): void;
  /** Throws `rate_limited` when the address has spent its quota. */
  wrong(): Promise<void>;
};

/** Of what an anonymous request names and must prove that it may: looked up at the cost of its address, until it has been right once. */
export type LookUps = {
  /**
   * Before the database is asked for `name`; what has none costs nothing to look up. Throws `rate_limited` when the address has spent its
   * quota; call `right` or `wrong` on what it resolves to.
   */
  begin(address: string, name?: string): Promise<LookUp>;
};

const maxProven = 10_000;
const nothing = () => undefined;
const free: LookUp = { right: nothing, wrong: async () => undefined };

/**
 * The provider's own address never guesses, and where it shares one with somebody who does, what was right here before stays free: its
 * webhooks must not stand still for another's guesses. What is wrong costs its address wherever it is told.
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
