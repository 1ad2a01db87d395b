import { AppError } from '../errors.ts';
import type { OwnTx, TenantTx } from '../ledger/tx.ts';
import type { Counts } from './progress.ts';
import type { ImportTables } from './tables.ts';

/** A file that caused the failure is deleted; otherwise a retry continues after the last row done. */
const isFiles = (code: string) => !['crashed', 'internal'].includes(code);

/** SQL: of any area's tables; each changes by the state the row is in. */
const statementsOf = ({ imports, chunks }: ImportTables) => ({
  fail: `
    update ${imports}
       set state = 'failed',
           failure = coalesce(failure, $3),
           finished_at = clock_timestamp(),
           updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state in ('queued', 'running')`,
  note: `
    update ${imports}
       set failure = $3
     where organization_id = $1
       and id = $2`,
  deleteFile: `
    delete from ${chunks}
     where organization_id = $1
       and import_id = $2`,
  revive: `
    update ${imports} i
       set state = 'queued', failure = null, finished_at = null, updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state = 'failed'
       and exists (
         select
           from ${chunks} c
          where c.organization_id = i.organization_id and c.import_id = i.id)
    returning id`,
  // Rows that were applied stay so.
  callOff: `
    update ${imports}
       set state = 'cancelled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state in ('queued', 'running')`,
  succeed: `
    update ${imports}
       set state = 'succeeded', finished_at = clock_timestamp(), updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state in ('queued', 'running')
    returning created_count as created,
              updated_count as updated,
              unchanged_count as unchanged,
              failed_count as failed`,
});

type Payload = { import_id: string };

/** How an import ends: what its job's contract and its handler do. */
export function endsIn(tables: ImportTables) {
  const statements = statementsOf(tables);
  const deleteFile = (tx: OwnTx, id: string) => tx.sql(statements.deleteFile, [id]);
  return {
    ofJob: {
      async failed({ own }: TenantTx, { import_id }: Payload, error: { code: string; message: string }) {
        await own.sql(statements.fail, [import_id, JSON.stringify({ code: error.code, message: error.message })]);
        if (isFiles(error.code)) await deleteFile(own, import_id);
      },
      async revived({ own }: TenantTx, { import_id }: Payload) {
        const back = await own.sql(statements.revive, [import_id]);
        if (back.length === 0) throw new AppError('conflict', 'The file is no longer there: upload it again');
      },
      async calledOff({ own }: TenantTx, { import_id }: Payload) {
        await own.sql(statements.callOff, [import_id]);
        await deleteFile(own, import_id);
      },
      openSubjects: `
    select organization_id, id
      from ${tables.imports}
     where state in ('queued', 'running')`,
    },
    /** What the file did wrong, before the job fails. */
    async note(tx: OwnTx, id: string, failure: object): Promise<void> {
      await tx.sql(statements.note, [id, JSON.stringify(failure)]);
    },
    /** Undefined: it has ended before. */
    async succeeded(tx: OwnTx, id: string): Promise<Counts | undefined> {
      const [counts] = await tx.sql<Counts>(statements.succeed, [id]);
      if (counts) await deleteFile(tx, id);
      return counts;
    },
  };
}
