import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp, timestampNow } from '../database/columns.ts';

export const jobStates = ['blocked', 'waiting', 'queued', 'failed', 'done', 'paused'] as const;
export type JobState = (typeof jobStates)[number];
export type JobError = { code: string; message: string; provider_code?: string | null };

/** Written only by the statements in this folder (docs/decisions/0002-ledger.md). */
export const Job = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  properties: {
    ...tenant(),
    name: p.text(),
    queue: p.text(),
    payload: p.json<Record<string, string>>(),
    subject_type: p.text(),
    subject_id: p.uuid(),
    lane: p.text().strictNullable(),
    pool: p.text().strictNullable(),
    /** 0 conversation, 1 bulk (docs/decisions/0034-classes.md). */
    class: p.smallint().default(0),
    seq: p.bigint('string').defaultRaw(`nextval('jobs_seq')`),
    state: p.enum(jobStates),
    run: p.integer().default(1),
    attempts: p.integer().default(0),
    run_at: timestampNow(),
    slot_at: timestamp().strictNullable(),
    check_at: timestamp(),
    error: p.json<JobError>().strictNullable(),
    progress: p.json<Record<string, unknown>>().strictNullable(),
    visible: p.boolean().default(false),
    stalls: p.integer().default(0),
    started_at: timestamp().strictNullable(),
    ...created(),
    finished_at: timestamp().strictNullable(),
  },
});

export const Pool = defineEntity({
  name: 'Pool',
  tableName: 'pools',
  properties: {
    organization_id: p.uuid().primary(),
    id: p.text().primary(),
    width: p.integer(),
    rate: p.double().strictNullable(),
    /** The time of the next claim, moved by each claim. */
    tat: timestamp().strictNullable(),
    held_until: timestamp().strictNullable(),
    /** The end of the times given out so far (pace.ts). */
    plan_at: timestamp().strictNullable(),
    filled_at: timestamp().strictNullable(),
    /** Of a pool that is made where it is needed, and purged when it was not for long. To the hour. */
    used_at: timestamp().strictNullable(),
  },
});
