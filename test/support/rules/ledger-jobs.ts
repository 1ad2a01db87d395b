import type { EntityData, FilterQuery, InferEntity } from '@mikro-orm/core';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { behindOthers } from '../../../src/platform/ledger/accept.ts';
import { Job, type JobState } from '../../../src/platform/ledger/jobs.entity.ts';
import { inMs } from './clock.ts';

type StoredJob = InferEntity<typeof Job>;

type Given = {
  /** How many, where no subjects are named. */
  count?: number;
  subjectIds?: string[];
  subjectType?: string;
  name?: string;
  queue?: string;
  state?: JobState;
  pool?: string | null;
  lane?: string | null;
  class?: 0 | 1;
  run?: number;
  attempts?: number;
  /** Times in milliseconds from now; null: none. */
  runInMs?: number;
  checkInMs?: number;
  createdInMs?: number;
  slotInMs?: number | null;
  finishedInMs?: number | null;
};

/** Jobs as rows, as a process leaves them that died after its commit: nothing of this process works on them. The ids, oldest first. */
export async function storeJobs(em: Em, organizationId: string, given: Given = {}): Promise<string[]> {
  const { count = 1, subjectIds = Array.from({ length: count }, uuidv7), name = 'toys.play', subjectType = 'toy' } = given;
  const rows = await query<{ id: string }>(
    em,
    `insert into jobs (organization_id, id, name, queue, payload, subject_type, subject_id, state, pool, lane, class, run, attempts,
       run_at, check_at, created_at, slot_at, finished_at)
     select $1, uuidv7(), $2, $3, case when $4 = 'toy' then jsonb_build_object('toy_id', s.id) else '{}' end, $4, s.id, $5, $6, $7, $8, $9, $10,
            at.now + $11 * interval '1 ms', at.now + $12 * interval '1 ms', at.now + $13 * interval '1 ms',
            at.now + $14::float8 * interval '1 ms', at.now + $15::float8 * interval '1 ms'
       from unnest($16::uuid[]) with ordinality as s(id, position), (select clock_timestamp() as now) at
      order by s.position
     returning id`,
    [
      organizationId,
      name,
      given.queue ?? 'default',
      subjectType,
      given.state ?? 'queued',
      given.pool ?? null,
      given.lane ?? null,
      given.class ?? 0,
      given.run ?? 1,
      given.attempts ?? 0,
      given.runInMs ?? 0,
      given.checkInMs ?? 0,
      given.createdInMs ?? 0,
      given.slotInMs ?? null,
      given.finishedInMs ?? null,
      subjectIds,
    ],
  );
  return rows.map(({ id }) => id);
}

/** Jobs that wait for capacity of their pool: nothing of this process fills it. */
export const storeWaiting = (em: Em, organizationId: string, given: Given = {}) =>
  storeJobs(em, organizationId, { pool: 'toys', state: 'waiting', ...given });

/** Parked jobs: due at their time, and checked by the sweep 20 s before it. */
export const storeParked = (em: Em, organizationId: string, { runInMs = 0, ...given }: Given = {}) =>
  storeJobs(em, organizationId, { runInMs, checkInMs: runInMs - 20_000, ...given });

type Which = FilterQuery<StoredJob>;

/** Changes jobs behind the ledger's back; all of them, where none are named. */
export const setJobs = (em: Em, change: EntityData<StoredJob>, which: Which = {}): Promise<number> =>
  em.nativeUpdate(Job, which, change);

/** As if a run had left its job in this state, in a slot of its pool where it is queued. */
export const setJobState = (em: Em, id: string, state: JobState) =>
  setJobs(em, { state, slot_at: state === 'queued' ? inMs(0) : null }, { id });

export const makeJobsDue = (em: Em, which: Which = {}) => setJobs(em, { run_at: inMs(0) }, which);

/** The sweep checks these jobs the next time. */
export const makeCheckDue = (em: Em, which: Which = {}) => setJobs(em, { check_at: inMs(-1_000) }, which);

/** The jobs run and are checked that many milliseconds from now. */
export const moveJobsTo = (em: Em, ms: number, which: Which = {}) => setJobs(em, { run_at: inMs(ms), check_at: inMs(ms) }, which);

/** As if so much time had passed for these jobs; all of them, where none is named. */
export const passForJobs = (em: Em, ms: number, id?: string) =>
  query(
    em,
    `update jobs set run_at = run_at - $1 * interval '1 ms', check_at = check_at - $1 * interval '1 ms', created_at = created_at - $1 * interval '1 ms'
      where $2::uuid is null or id = $2`,
    [ms, id ?? null],
  );

/** As if another process had ended them, or they were lost. */
export const deleteJobs = (em: Em, which: Which = {}): Promise<number> => em.nativeDelete(Job, which);
export const deleteJob = (em: Em, id: string) => deleteJobs(em, { id });
export const deleteJobsOf = (em: Em, subjectId: string) => deleteJobs(em, { subject_id: subjectId });

/** The jobs of one subject or of several, in the order of the ledger. */
export const jobsOf = (em: Em, subject: string | string[]): Promise<StoredJob[]> =>
  em.find(Job, { subject_id: { $in: [subject].flat() } }, { orderBy: { seq: 'asc' } });

export const countJobs = (em: Em, which: Which = {}): Promise<number> => em.count(Job, which);

export const storedJob = (em: Em, which: Which): Promise<StoredJob> => em.findOneOrFail(Job, which);

/** Behind all others of its pool, as a run that waits for a while leaves its job. */
export const letOthersPass = (em: Em, { id, pool }: StoredJob, inPool = pool) =>
  query(em, `update jobs set pool = $2, state = 'waiting', slot_at = null, seq = seq + ${behindOthers} where id = $1`, [
    id,
    inPool,
  ]);
