import { isDeepStrictEqual } from 'node:util';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { CrmHistory, HistoryChanges } from './history.entity.ts';

/* SQL: pages of an object's history by its key, and one column of one row. */

const batch = 100;

const page = `
  select revision, changes
    from crm_history
   where organization_id = $1
     and object_id = $2
     and revision > $3
   order by revision
   limit ${batch}`;
const rewrite = `
  update crm_history
     set changes = $4::jsonb
   where organization_id = $1
     and object_id = $2
     and revision = $3`;

type Line = RowOf<typeof CrmHistory, 'revision' | 'changes'>;

type Clean = <Value>(value: Value) => Value;

/** Of one revision. `left`: of a cleaned value what stays. */
function cleanChanges(changes: HistoryChanges, clean: Clean, left = (value: unknown) => value): HistoryChanges {
  const entries = Object.entries(changes).map(([name, { from, to }]) => {
    // As a key, which may be that of a custom field.
    const [key] = Object.keys(clean({ [name]: null }));
    return [key!, { from: left(clean(from)), to: left(clean(to)) }];
  });
  return Object.fromEntries(entries);
}

/** Takes a person out of the history of one object: what became of it stays told. A page a transaction, which `within` opens. */
export async function scrubHistory(
  within: <Result>(work: (own: OwnTx) => Promise<Result>) => Promise<Result>,
  id: string,
  clean: Clean,
  left?: (value: unknown) => unknown,
): Promise<void> {
  for (let after = 0, isMore = true; isMore; ) {
    const position = after;
    const lines = await within(async (own) => {
      const found = await own.sql<Line>(page, [id, position]);
      for (const { revision, changes } of found) {
        const cleaned = cleanChanges(changes, clean, left);
        if (!isDeepStrictEqual(changes, cleaned)) await own.sql(rewrite, [id, revision, JSON.stringify(cleaned)]);
      }
      return found;
    });
    isMore = lines.length === batch;
    after = lines.at(-1)?.revision ?? after;
  }
}
