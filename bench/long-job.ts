import { setTimeout as sleep } from 'node:timers/promises';
import { uuidv7 } from '../src/platform/ids.ts';
import type { Process } from './processes.ts';
import type { Side } from './stage.ts';

/** The worker's highest resident memory in MiB, in each fifth of the rows. */
export type Memory = [number, number, number, number, number];
type Kind = { name: string; subject: string; field: string };

/** A job over many rows, given to the worker by its sweeper; the time is the database's, from the first try to the end. */
export async function runOf(
  { sql }: Pick<Side, 'sql'>,
  worker: Process,
  { name, subject, field }: Kind,
  subjectId: string,
  organizationId: string,
  rows: number,
): Promise<{ perSecond: number; memory: Memory }> {
  const job = uuidv7();
  await sql.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, visible, state, check_at)
     values ($1, $2, $3, 'default', jsonb_build_object($4::text, $5::text), $6, $5::uuid, true, 'queued', now())`,
    [job, organizationId, name, field, subjectId, subject],
  );
  const memory: Memory = [0, 0, 0, 0, 0];
  for (;;) {
    const { rssMb } = await worker.usage();
    const { rows: found } = await sql.query(
      `select state, error, coalesce((progress->>'rows')::int, 0) as done, extract(epoch from finished_at - started_at)::float8 as seconds from jobs where id = $1`,
      [job],
    );
    const { state, error, done, seconds } = found[0];
    if (state === 'failed') throw new Error(`${name}: ${JSON.stringify(error)}`);
    const fifth = Math.min(4, Math.floor((5 * done) / rows));
    memory[fifth] = Math.max(memory[fifth]!, rssMb);
    if (state === 'done') return { perSecond: rows / seconds, memory };
    await sleep(100);
  }
}
