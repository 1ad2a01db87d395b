import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import type { Position } from '../../platform/listing/keyset.ts';
import type { Listing } from '../../platform/listing/listing.ts';
import type { AskOnce } from '../../platform/listing/pages.ts';
import { maxCustomColumns } from '../csv/columns.ts';
import { contactPages, keysStatement } from '../list.ts';
import type { ContactRow } from '../queries.ts';

export type Selection = {
  slices(begin?: Position): AsyncGenerator<ContactRow[]>;
  keys(limit: number): Promise<string[]>;
};

const pageRows = 1_000;
/** Rows converted between pauses: other work runs, and rows of 16 kB make no piece of 16 MB. */
const sliceRows = 100;

/** `askKeys` is separate from `askPage` because it reads every contact. */
export const selected = (askPage: AskOnce, organizationId: string, listing: Listing, askKeys: AskOnce = askPage): Selection => ({
  async *slices(begin) {
    for await (const page of contactPages(askPage, organizationId, listing, pageRows, begin))
      for (let at = 0; at < page.length; at += sliceRows) {
        yield page.slice(at, at + sliceRows);
        await turnOfOthers();
      }
  },
  async keys(limit) {
    const { text, params } = keysStatement(organizationId, listing, limit);
    const rows = await askKeys((keysAsked) => keysAsked<{ key: string }>(text, params));
    return rows.map(({ key }) => key);
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
