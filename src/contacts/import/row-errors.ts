import { type SqlBool, sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { PageRows } from '../../platform/listing/paging.ts';
import { ContactImportError } from './import.entity.ts';

const columns = ['id', 'line', 'column_name', 'code', 'message'] as const;
export type ImportErrorRow = RowOf<typeof ContactImportError, (typeof columns)[number]>;
export type ImportErrorPage = { limit: number; after?: [line: number, id: string]; includeTotal: boolean };

type After = { importId: string; line: number; id: string; limit: number };
const errorsAfter = statement((select, { importId, line, id, limit }: After) =>
  select(ContactImportError)
    .select(columns)
    .where('import_id', '=', importId)
    .where(sql<SqlBool>`(line, id) > (${line}::int, ${id}::uuid)`)
    .orderBy('line')
    .orderBy('id')
    .limit(limit),
);
const countErrors = statement((select, { importId }: { importId: string }) =>
  select(ContactImportError).select(sql<number>`count(*)::int`.as('total')).where('import_id', '=', importId),
);

export async function listImportErrors(
  own: Own,
  importId: string,
  { limit, after = [0, '00000000-0000-0000-0000-000000000000'], includeTotal }: ImportErrorPage,
): Promise<PageRows<ImportErrorRow>> {
  const [line, id] = after;
  const rows = await errorsAfter(own, { importId, line, id, limit: limit + 1 });
  if (!includeTotal) return { rows };
  const [counted] = await countErrors(own, { importId });
  return { rows, total: counted!.total };
}
