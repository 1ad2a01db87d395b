import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import type { Position } from '../../platform/listing/keyset.ts';
import type { Listing } from '../../platform/listing/listing.ts';
import type { AskOnce } from '../../platform/listing/pages.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import { maxCustomColumns } from '../csv/columns.ts';
import { contactPages, isWalked, type KeysSeen, keysStatement, otherKeysStatement } from '../list.ts';
import type { ContactRow } from '../queries.ts';

export type Selection = {
  slices(begin?: Position): AsyncGenerator<ContactRow[]>;
  keys(limit: number): Promise<string[]>;
};

const pageRows = 500;
/** Rows converted between pauses: other work runs, and rows of 16 kB make no piece of 16 MB. */
const sliceRows = 100;

/** Contacts whose custom fields are looked at in one statement, some ms of the database; fewer where each is compared with conditions. */
const windowRows = 1_500;
const leastWindowRows = 100;

/** How to ask for the keys, which every contact may have: in one statement where an index finds the contacts, else in windows. */
export type AskKeys = { all: AskOnce; window: AskOnce };

export const selected = (
  askPage: AskOnce,
  organizationId: string,
  listing: Listing,
  askKeys: AskKeys = { all: askPage, window: askPage },
): Selection => ({
  async *slices(begin) {
    for await (const page of contactPages(askPage, organizationId, listing, pageRows, begin))
      for (let at = 0; at < page.length; at += sliceRows) {
        yield page.slice(at, at + sliceRows);
        await turnOfOthers();
      }
  },
  async keys(limit) {
    const known: string[] = [];
    async function find(ask: Ask, after: string | null, last: string | null) {
      const { text, params } = keysStatement(organizationId, listing, { known, after, last }, limit - known.length);
      for (const { key } of await ask<{ key: string }>(text, params)) known.push(key);
    }
    if (!isWalked(listing)) {
      await askKeys.all((ask) => find(ask, null, null));
      return known.sort();
    }
    const length = Math.max(leastWindowRows, Math.floor(windowRows / (1 + listing.unindexed)));
    let after: string | null = null;
    do
      after = await askKeys.window(async (ask): Promise<string | null> => {
        // Almost no window has a key that is new: not to list them takes a third of the time.
        const { text, params } = otherKeysStatement(organizationId, listing, { known, after }, length);
        const { others, looked, last } = (await ask<KeysSeen>(text, params))[0]!;
        if (others > 0) await find(ask, after, last);
        return looked < length ? null : last;
      });
    while (after !== null && known.length < limit);
    return known.sort();
  },
});

/** Throws 422 above `maxCustomColumns`. */
export async function customKeys(selection: Selection): Promise<string[]> {
  const keys = await selection.keys(maxCustomColumns + 1);
  if (keys.length > maxCustomColumns)
    throw new AppError(
      'limit_reached',
      `The contacts have more than ${maxCustomColumns} custom fields between them: export fewer at once`,
    );
  return keys;
}
