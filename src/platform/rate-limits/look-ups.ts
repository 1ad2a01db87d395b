import { countedAddress } from './address.ts';
import { type Quota, takeOne } from './quota.ts';

export type LookUp = {
  right(): void;
  wrong(): Promise<void>;
};

/** For anonymous requests that prove a secret: a look-up costs the address until its name was right once. */
export type LookUps = {
  /** Call it before the database is asked for `name`, then `right` or `wrong`. Throws `rate_limited`. */
  begin(address: string, name?: string): Promise<LookUp>;
};

const maxProven = 10_000;
const nothing = () => undefined;
const free: LookUp = { right: nothing, wrong: async () => undefined };

/** An attacker may share the provider's address: names that were right stay free, so that its webhooks continue. */
export function createLookUps(own: Quota | undefined): LookUps {
  const proven = new Set<string>();
  const charge = (quota: Quota, address: string) => takeOne(quota, address, 'Too many requests');
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
