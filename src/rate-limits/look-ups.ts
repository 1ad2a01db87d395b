import { AppError } from '../errors.ts';
import { countedAddress } from './address.ts';
import type { Quota } from './quota.ts';

/** Of what an anonymous request names and must prove that it may: looked up at the cost of its address, until it has been right once. */
export type LookUps = {
  /** Before the database is asked for `name`. Throws `rate_limited` when the address has spent its quota; call `right` on what it resolves to. */
  begin(address: string, name: string): Promise<{ right(): void }>;
};

const maxProven = 10_000;
const free = { right() {} };

/**
 * The provider's own address never guesses, and where it shares one with somebody who does, what was right here before stays free: its
 * webhooks must not stand still for another's guesses.
 */
export function createLookUps(own: Quota | undefined): LookUps {
  const proven = new Set<string>();
  return {
    async begin(from, name) {
      if (!own || proven.has(name)) return free;
      const address = `address:${countedAddress(from)}`;
      const { isAllowed, resetSeconds } = await own.take(address);
      if (!isAllowed) throw new AppError('rate_limited', 'Too many requests', { retryAfterSeconds: resetSeconds });
      return {
        right() {
          own.giveBack(address);
          if (proven.size >= maxProven) proven.delete(proven.keys().next().value!);
          proven.add(name);
        },
      };
    },
  };
}
