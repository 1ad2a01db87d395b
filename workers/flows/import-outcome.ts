import { maxListedPages } from './list-flows.ts';

/** Of one run. */
export type ImportCounts = {
  imported: number;
  listed: number;
  /** The account's list was longer than is read. */
  isCut: boolean;
  /** The organization has no room. */
  isFull: boolean;
  /** Names of flows that were left out: taken by flows here, of which one may have been imported just before, and with documents that cannot be kept. */
  taken: string[];
  unstorable: string[];
};

const maxNamed = 5;
const named = (names: string[]) => names.slice(0, maxNamed).join(', ');

/** Why it is not done, the first reason that holds; undefined: all are here. */
export function unfinished({ listed, isCut, isFull, taken, unstorable }: ImportCounts) {
  if (isFull) return { code: 'limit_reached', message: 'The organization has as many flows as it may have' };
  if (isCut)
    return {
      code: 'limit_reached',
      message: `The account has more flows than are read: after ${maxListedPages} pages, ${listed} flows, its list goes on. Those were imported, the rest was not`,
    };
  if (unstorable.length > 0)
    return {
      code: 'provider_refused',
      message: `${unstorable.length} flows were not imported: their documents hold characters that cannot be kept, or are nested too deep: ${named(unstorable)}. Everything else was, but those whose names flows here have`,
    };
  if (taken.length > 0)
    return {
      code: 'conflict',
      message: `All flows were imported but ${taken.length}, whose names are those of flows here: ${named(taken)}. Upper and lower case count as the same. Rename the flows here, or at the provider, and import again`,
    };
  return undefined;
}
