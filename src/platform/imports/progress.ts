import { Superseded } from '../ledger/superseded.ts';
import type { RunRef } from '../ledger/tx.ts';
import type { ImportTables } from './tables.ts';

/** `column`: empty for the whole row. */
export type RowError = { column: string; code: string; message: string };
export type BadRow = { line: number; errors: RowError[] };
export type Import = { id: string; organizationId: string; job: RunRef };
export type Counts = { created: number; updated: number; unchanged: number; failed: number };

/** Asks on the connection of the batch: its transaction has the rows and the counts, or neither. `params` begin at $1. */
export type Ask = <Row>(text: string, params: unknown[]) => Promise<Row[]>;

/** Refused rows beyond this are only counted. */
const maxReported = 10_000;

/** SQL: of any area's tables, on the connection of the batch. */
const statementsOf = ({ imports, errors }: ImportTables) => ({
  lock: `
    select rows_done, failed_count
      from ${imports}
     where organization_id = $1
       and id = $2
       and state in ('queued', 'running')
       for update`,
  insertErrors: `
    insert into ${errors} (id, organization_id, import_id, line, column_name, code, message)
    select uuidv7(), $1, $2, x.line, x.column_name, x.code, x.message
      from unnest($3::int[], $4::text[], $5::text[], $6::text[]) as x(line, column_name, code, message)`,
  countRows: `
    with moved as (
      update ${imports}
         set state = 'running',
             rows_done = rows_done + $3,
             created_count = created_count + $4,
             updated_count = updated_count + $5,
             unchanged_count = unchanged_count + $6,
             failed_count = failed_count + $7,
             updated_at = clock_timestamp()
       where organization_id = $1
         and id = $2
      returning rows_done, failed_count)
    update jobs
       set progress = jsonb_build_object('rows', moved.rows_done, 'failed', moved.failed_count)
      from moved
     where jobs.organization_id = $1
       and jobs.id = $8
       and jobs.run = $9
       and jobs.state = 'queued'
    returning jobs.id`,
});

/** How far an import is: written with the rows of each batch, so a killed run did all of them or none. */
export function progressIn(tables: ImportTables) {
  const { lock, insertErrors, countRows } = statementsOf(tables);
  return {
    /** Returns the failed rows so far. The lock makes a second run of the job wait; then it sees that it is superseded. */
    async beginAt(ask: Ask, { id, organizationId }: Import, done: number): Promise<number> {
      const [row] = await ask<{ rows_done: number; failed_count: number }>(lock, [organizationId, id]);
      if (row?.rows_done !== done) throw new Superseded();
      return row.failed_count;
    },
    /** The end of a batch of `rows` rows. Throws Superseded. */
    async moveOn(
      ask: Ask,
      { id, organizationId, job }: Import,
      batch: { rows: number; counts: Counts; failures: BadRow[]; reported: number },
    ): Promise<void> {
      const told = batch.failures.slice(0, Math.max(0, maxReported - batch.reported));
      const all = told.flatMap(({ line, errors }) => errors.map((error) => ({ line, ...error })));
      if (all.length > 0)
        await ask(insertErrors, [
          organizationId,
          id,
          all.map(({ line }) => line),
          all.map(({ column }) => column),
          all.map(({ code }) => code),
          all.map(({ message }) => message),
        ]);
      const { created, updated, unchanged, failed } = batch.counts;
      const counts = [batch.rows, created, updated, unchanged, failed];
      const moved = await ask(countRows, [organizationId, id, ...counts, job.id, job.run]);
      if (moved.length !== 1) throw new Superseded();
    },
  };
}
