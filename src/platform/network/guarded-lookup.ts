import type { LookupAddress, LookupOptions } from 'node:dns';
import { type Resolve, resolvePublic } from './address-guard.ts';

type Done = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/** For a socket's own lookup, so that no name is looked up twice: one private address refuses the name. Not asked for an address. */
export const guardedLookup =
  (rules: Resolve) =>
  (hostname: string, { all }: LookupOptions, done: Done): void => {
    resolvePublic(hostname, rules).then(
      (found) => (all ? done(null, found) : done(null, found[0]!.address, found[0]!.family)),
      (error) => done(error, []),
    );
  };
