import type { Own } from '../database/own.ts';
import type { PageRows } from '../listing/paging.ts';
import type { ImportTables } from './tables.ts';

export type ImportErrorRow = { id: string; line: number; column_name: string; code: string; message: string };
export type ImportErrorPage = { limit: number; after?: [line: number, id: string]; includeTotal: boolean };

const first: [number, string] = [0, '00000000-0000-0000-0000-000000000000'];

/** Why rows were refused, in the order of the file. */
export function rowErrorsIn({ errors }: ImportTables) {
  /** SQL: of any area's tables. */
  const after = `
    select id, line, column_name, code, message
      from ${errors}
     where organization_id = $1
       and import_id = $2
       and (line, id) > ($3::int, $4::uuid)
     order by line, id
     limit $5`;
  const total = `
    select count(*)::int as total
      from ${errors}
     where organization_id = $1
       and import_id = $2`;
  return {
    /** One row more than the limit. */
    async list(own: Own, importId: string, page: ImportErrorPage): Promise<PageRows<ImportErrorRow>> {
      const [line, id] = page.after ?? first;
      const rows = await own.sql<ImportErrorRow>(after, [importId, line, id, page.limit + 1]);
      if (!page.includeTotal) return { rows };
      const [counted] = await own.sql<{ total: number }>(total, [importId]);
      return { rows, total: counted!.total };
    },
  };
}
