import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { SourceOf } from '../../../contacts/export/run.ts';
import { maxColumns } from '../../../platform/csv/header.ts';
import { type Own, ownRows } from '../../../platform/database/own.ts';
import { AppError } from '../../../platform/errors.ts';
import type { RecipientStatus } from '../../states.ts';
import { type RecipientFilter, recipientsAfter } from '../list.ts';
import { exportColumns, recipientsCsv, recipientsHeader } from './columns.ts';

const pageRows = 1_000;
/** Rows converted between pauses: other work runs. */
const sliceRows = 100;
const maxNames = maxColumns - exportColumns.length;

/** SQL: keys within JSON. */
const namesOf = `
  select distinct x.name
    from campaign_recipients r, jsonb_object_keys(r.parameters) as x(name)
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.parameters <> '{}'
   order by x.name
   limit $3`;

/** Throws 422 above the columns that a file has. */
async function parameterNames(own: Own, campaignId: string): Promise<string[]> {
  const rows = await own.sql<{ name: string }>(namesOf, [campaignId, maxNames + 1]);
  if (rows.length > maxNames)
    throw new AppError('limit_reached', `The recipients have more than ${maxNames} parameters between them`);
  return rows.map(({ name }) => name);
}

/** The recipients of a campaign as a file, oldest first. */
export const recipientsOf =
  (campaignId: string): SourceOf =>
  (database, organizationId, { isRaw = false, statuses }) => {
    const own = ownRows(database, organizationId);
    const filter: RecipientFilter = { statuses: statuses as RecipientStatus[] | undefined };
    return {
      keys: () => parameterNames(own, campaignId),
      header: (names) => recipientsHeader(names, isRaw),
      async *slices(names, begin) {
        for (let after = begin?.[0]; ; ) {
          const page = await recipientsAfter(own, campaignId, filter, { limit: pageRows, after });
          for (let at = 0; at < page.length; at += sliceRows) {
            const rows = page.slice(at, at + sliceRows);
            const ids = rows.flatMap(({ contact_id }) => contact_id ?? []);
            yield { rows: rows.length, ids, text: recipientsCsv(rows, names, isRaw), end: [rows.at(-1)!.id] };
            await turnOfOthers();
          }
          if (page.length < pageRows) return;
          after = page.at(-1)!.id;
        }
      },
    };
  };
