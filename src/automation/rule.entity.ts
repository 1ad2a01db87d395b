import { defineEntity, p } from '@mikro-orm/core';
import { created, jsonBytes, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { Definition } from './definition/definition.ts';
import { heldReasons, type PausedReason, ruleModes, ruleStatuses } from './states.ts';

export const AutomationRule = defineEntity({
  name: 'AutomationRule',
  tableName: 'automation_rules',
  properties: {
    ...tenant(),
    name: p.text(),
    status: p.enum(ruleStatuses).defaultRaw(`'draft'`),
    mode: p.enum(ruleModes).defaultRaw(`'live'`),
    draft: p.json<Definition>(),
    draft_bytes: jsonBytes('draft'),
    /** The published one; 0: none. */
    version: p.integer().default(0),
    /** Of the published one, where its trigger is an event. */
    event_type: p.text().strictNullable(),
    revision: p.integer().default(1),
    paused_reason: p.text().$type<PausedReason>().defaultRaw(`''`),
    /** null: it is not paused. */
    paused_at: timestamp().strictNullable(),
    /** Runs that failed one after the other. */
    failures: p.integer().default(0),
    next_at: timestamp().strictNullable(),
    tick_job_id: p.uuid().strictNullable(),
    created_by: p.text().defaultRaw(`''`),
    published_by: p.text().defaultRaw(`''`),
    published_at: timestamp().strictNullable(),
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const AutomationRuleVersion = defineEntity({
  name: 'AutomationRuleVersion',
  tableName: 'automation_rule_versions',
  properties: {
    organization_id: p.uuid().primary(),
    rule_id: p.uuid().primary(),
    number: p.integer().primary(),
    definition: p.json<Definition>(),
    published_by: p.text().defaultRaw(`''`),
    ...created(),
  },
});

/** Starts that were held back. */
export const AutomationHeld = defineEntity({
  name: 'AutomationHeld',
  tableName: 'automation_held',
  properties: {
    organization_id: p.uuid().primary(),
    rule_id: p.uuid().primary(),
    reason: p.enum(heldReasons).primary(),
    count: p.integer().default(0),
    told: p.integer().default(0),
    told_at: timestamp().strictNullable(),
    updated_at: timestamp().returning().defaultRaw('clock_timestamp()'),
  },
});

/** How far the listing of a schedule's moment was read; a row until its end. */
export const AutomationOccurrence = defineEntity({
  name: 'AutomationOccurrence',
  tableName: 'automation_occurrences',
  properties: {
    organization_id: p.uuid().primary(),
    rule_id: p.uuid().primary(),
    occurs_at: timestamp().primary(),
    version: p.integer(),
    after: p.uuid().strictNullable(),
    made: p.integer().default(0),
    ...created(),
  },
});

/** Write-only: its value is sealed. */
export const AutomationSecret = defineEntity({
  name: 'AutomationSecret',
  tableName: 'automation_secrets',
  properties: {
    ...tenant(),
    name: p.text(),
    value: p.text().lazy(),
    /** To which a call may send it. */
    hosts: p.array<string>().default([]),
    created_by: p.text().defaultRaw(`''`),
    ...times(),
  },
});
