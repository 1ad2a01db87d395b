import { defineEntity, p } from '@mikro-orm/core';

export type JobState = 'blocked' | 'waiting' | 'queued' | 'failed' | 'done';
export type JobError = { code: string; message: string; provider_code?: string | null };

/** A piece of work: the whole truth of it (see docs/decisions/0002-ledger.md). Written by the statements in this folder only. */
export const Job = defineEntity({
  name: 'Job',
  tableName: 'jobs',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.string(),
    queue: p.string(),
    payload: p.json().$type<Record<string, string>>(),
    subjectType: p.string(),
    subjectId: p.uuid(),
    lane: p.string().nullable(),
    pool: p.string().nullable(),
    seq: p.bigint(),
    state: p.string().$type<JobState>(),
    run: p.integer().default(1),
    attempts: p.integer().default(0),
    runAt: p.datetime(),
    slotAt: p.datetime().nullable(),
    checkAt: p.datetime(),
    error: p.json().$type<JobError>().nullable(),
    progress: p.json().$type<Record<string, unknown>>().nullable(),
    visible: p.boolean().default(false),
    stalls: p.integer().default(0),
    startedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    finishedAt: p.datetime().nullable(),
  },
});
