import Joi from 'joi';
import type { Em } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import { uuid, uuidv7 } from '../../src/platform/ids.ts';
import { type JobContract, job } from '../../src/platform/ledger/job.ts';

export type ToyPayload = { toy_id: string };

const toyContract = (name: string, more: Partial<JobContract<ToyPayload>> = {}) =>
  job<ToyPayload>({
    name,
    queue: 'default',
    payload: Joi.object({ toy_id: uuid }),
    subjectType: 'toy',
    subject: 'toy_id',
    delayMs: (attempts) => (attempts >= 3 ? undefined : 20),
    operation: false,
    failed: async (tx, { toy_id }, error) =>
      void (await tx.query(`update toys set status = 'failed', reason = $2 where id = $1`, [toy_id, error.code])),
    revived: async (tx, { toy_id }) =>
      void (await tx.query(`update toys set status = 'open', reason = null, revivals = revivals + 1 where id = $1`, [toy_id])),
    openSubjects: `select (select j.organization_id from jobs j where j.subject_id = t.id limit 1) as organization_id, t.id from toys t where status in ('open', 'sending') and kind = '${name}'`,
    ...more,
  });

/** A plain job: three tries, 20 ms between them. */
export const playJob = toyContract('toys.play');
/** A job people may look at: kept when done. */
export const showJob = toyContract('toys.show', { operation: true });
/** A job that does what cannot be undone: a toy that is `sending` is never failed as crashed. */
export const throwJob = toyContract('toys.throw', {
  async survivesCrashes(tx, { toy_id }) {
    const [toy] = await tx.query<{ status: string }>('select status from toys where id = $1', [toy_id]);
    return toy?.status === 'sending';
  },
});

export const toyContracts = [playJob, showJob, throwJob];

export async function newToy(em: Em, kind: string, lane: string | null = null): Promise<string> {
  const id = uuidv7();
  await query(em, 'insert into toys (id, kind, lane) values ($1, $2, $3)', [id, kind, lane]);
  return id;
}
