import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { JobError } from '../platform/ledger/jobs.entity.ts';
import { ruleModes, runStates, runTriggers, stepStates } from './states.ts';

export const AutomationRun = defineEntity({
  name: 'AutomationRun',
  tableName: 'automation_runs',
  properties: {
    ...tenant(),
    rule_id: p.uuid(),
    version: p.integer(),
    mode: p.enum(ruleModes).defaultRaw(`'live'`),
    state: p.enum(runStates).defaultRaw(`'queued'`),
    trigger: p.enum(runTriggers),
    event_id: p.uuid().strictNullable(),
    /** Of a schedule or a date. */
    occurs_at: timestamp().strictNullable(),
    subject_type: p.text(),
    subject_id: p.uuid(),
    /** null: about no person, or the contact was erased. */
    contact_id: p.uuid().strictNullable(),
    /** No other of the rule and the subject while it lives. */
    is_exclusive: p.boolean().defaultRaw('false'),
    /** The rules that its effects have passed through, its own last. */
    chain: p.array<string>().columnType('uuid[]').defaultRaw(`'{}'`),
    /** Where it goes on: runs/position.ts. */
    position: p.json<unknown>().defaultRaw(`'{}'`),
    vars: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    steps_run: p.integer().default(0),
    /** The type of the step it waits in. */
    waiting_for: p.text().strictNullable(),
    wakes_at: timestamp().strictNullable(),
    failed_step: p.text().strictNullable(),
    error: p.json<JobError>().strictNullable(),
    /** Why it was cancelled, or stopped. */
    reason: p.text().defaultRaw(`''`),
    retries: p.integer().default(0),
    job_id: p.uuid().strictNullable(),
    started_by: p.text().defaultRaw(`''`),
    started_at: timestamp().strictNullable(),
    ended_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const AutomationStep = defineEntity({
  name: 'AutomationStep',
  tableName: 'automation_steps',
  properties: {
    organization_id: p.uuid().primary(),
    run_id: p.uuid().primary(),
    number: p.integer().primary(),
    step_id: p.text(),
    type: p.text(),
    state: p.enum(stepStates),
    attempt: p.integer().default(1),
    input: p.json<unknown>().strictNullable(),
    output: p.json<unknown>().strictNullable(),
    error: p.json<JobError>().strictNullable(),
    started_at: timestamp().returning().defaultRaw('clock_timestamp()'),
    ended_at: timestamp().strictNullable(),
  },
});

export const AutomationWait = defineEntity({
  name: 'AutomationWait',
  tableName: 'automation_waits',
  properties: {
    organization_id: p.uuid().primary(),
    run_id: p.uuid().primary(),
    event_type: p.text().primary(),
    subject_type: p.text(),
    subject_id: p.uuid().primary(),
    ...created(),
  },
});

/** What purges took of the runs, by their last state. */
export const AutomationCount = defineEntity({
  name: 'AutomationCount',
  tableName: 'automation_counts',
  properties: {
    organization_id: p.uuid().primary(),
    rule_id: p.uuid().primary(),
    state: p.enum(runStates).primary(),
    count: p.bigint('number'),
  },
});

/** What was last counted of many runs: src/automation/runs/counted.ts. */
export const AutomationRunCount = defineEntity({
  name: 'AutomationRunCount',
  tableName: 'automation_run_counts',
  properties: {
    organization_id: p.uuid().primary(),
    /** Zeros: of the whole organization. */
    rule_id: p.uuid().primary(),
    counts: p.json<Record<string, number>>(),
    present: p.bigint('number'),
    counted_at: timestamp(),
    due_at: timestamp(),
  },
});
