import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** Rules, their versions and runs (docs/decisions/0035-automation.md), and what made an event. */
export class Automation extends Migration {
  override name = '20261201000010-automation';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const ofRule = 'rule_id uuid not null, foreign key (organization_id, rule_id) references automation_rules (organization_id, id)';
const ofRun =
  'run_id uuid not null, foreign key (organization_id, run_id) references automation_runs (organization_id, id) on delete cascade';

const up = [
  'alter table events add column cause text, add column chain uuid[]',
  // As an event's cause and chain: what happens to the message later is an effect of the run, too.
  'alter table messages add column origin jsonb',

  // draft: the definition as it is edited; version: the number of the published one, 0: none. event_type: what that one begins with, null for a trigger
  // that is no event. next_at: of a schedule; tick_job_id: the job that waits for it. failures: runs that failed one after the other.
  `create table automation_rules (
     ${tenant},
     name text not null,
     status text not null default 'draft' check (status in ('draft', 'live', 'paused')),
     mode text not null default 'live' check (mode in ('live', 'log')),
     draft jsonb not null,
     version int not null default 0,
     event_type text,
     revision int not null default 1,
     paused_reason text not null default '',
     failures int not null default 0,
     next_at timestamptz,
     tick_job_id uuid,
     created_by text not null default '',
     published_by text not null default '',
     published_at timestamptz,
     deleted_at timestamptz,
     ${times})`,
  'create index automation_rules_list on automation_rules (organization_id, created_at, id) where deleted_at is null',
  `create index automation_rules_live on automation_rules (organization_id, event_type) where status = 'live'`,
  'create index automation_rules_deleted on automation_rules (deleted_at) where deleted_at is not null',

  `create table automation_rule_versions (
     ${organization},
     ${ofRule} on delete cascade,
     number int not null,
     definition jsonb not null,
     published_by text not null default '',
     ${created},
     primary key (organization_id, rule_id, number))`,

  // position: where it goes on (src/automation/runs/position.ts). vars: set by steps. chain: the rules it passed through, its own last. is_exclusive: no
  // other of the rule and subject while it lives. occurs_at: of a schedule or a date. started_by: who asked for a manual one, or the run of start_rule.
  `create table automation_runs (
     ${tenant},
     ${ofRule},
     version int not null,
     mode text not null default 'live' check (mode in ('live', 'log')),
     state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
     trigger text not null check (trigger in ('event', 'keyword', 'schedule', 'date', 'manual', 'api', 'rule')),
     event_id uuid,
     occurs_at timestamptz,
     subject_type text not null,
     subject_id uuid not null,
     contact_id uuid,
     is_exclusive boolean not null default false,
     chain uuid[] not null default '{}',
     position jsonb not null default '{}',
     vars jsonb not null default '{}',
     steps_run int not null default 0,
     waiting_for text,
     wakes_at timestamptz,
     failed_step text,
     error jsonb,
     reason text not null default '',
     retries int not null default 0,
     job_id uuid,
     started_by text not null default '',
     started_at timestamptz,
     ended_at timestamptz,
     ${times},
     constraint automation_runs_contact foreign key (organization_id, contact_id)
       references contacts (organization_id, id) on delete set null (contact_id))`,
  // Exactly once: a repeated evaluation or tick makes no second run.
  `create unique index automation_runs_event on automation_runs (organization_id, rule_id, event_id) where event_id is not null`,
  `create unique index automation_runs_occurrence on automation_runs (organization_id, rule_id, occurs_at, subject_id)
    where occurs_at is not null`,
  `create unique index automation_runs_alone on automation_runs (organization_id, rule_id, subject_id)
    where is_exclusive and state in ('queued', 'running')`,
  'create index automation_runs_list on automation_runs (organization_id, created_at, id)',
  'create index automation_runs_state on automation_runs (organization_id, state, created_at, id)',
  'create index automation_runs_rule on automation_runs (organization_id, rule_id, created_at, id)',
  'create index automation_runs_rule_state on automation_runs (organization_id, rule_id, state, created_at, id)',
  `create index automation_runs_contact on automation_runs (organization_id, contact_id, created_at, id) where contact_id is not null`,
  // Its starts of the last hour, for each rule; and the list of a subject's runs.
  'create index automation_runs_subject on automation_runs (organization_id, subject_id, rule_id, created_at, id)',
  // What lives of a rule and a subject, however many runs of it ended.
  `create index automation_runs_live on automation_runs (organization_id, rule_id, subject_id) where state in ('queued', 'running')`,
  // Of live ones, which keep the events that they read: what began them, and what they waited for.
  `create index automation_runs_begun_by on automation_runs (organization_id, event_id)
    where event_id is not null and state in ('queued', 'running')`,
  `create index automation_runs_woken_by on automation_runs (organization_id, ((position->>'event_id')::uuid))
    where position->>'event_id' is not null and state in ('queued', 'running')`,
  'create index automation_runs_ended on automation_runs (ended_at) where ended_at is not null',

  // number: its place among the steps that the run took. state calling: an outside call was claimed, and has not answered.
  `create table automation_steps (
     ${organization},
     ${ofRun},
     number int not null,
     step_id text not null,
     type text not null,
     state text not null check (state in ('done', 'waiting', 'calling', 'failed', 'skipped')),
     attempt int not null default 1,
     input jsonb,
     output jsonb,
     error jsonb,
     started_at timestamptz not null default clock_timestamp(),
     ended_at timestamptz,
     primary key (organization_id, run_id, number))`,
  `create index automation_steps_calling on automation_steps (organization_id, run_id) where state = 'calling'`,

  // Of a run that waits for an event about one of these subjects: a row for each.
  `create table automation_waits (
     ${organization},
     ${ofRun},
     event_type text not null,
     subject_type text not null,
     subject_id uuid not null,
     ${created},
     primary key (organization_id, run_id, event_type, subject_id))`,
  'create index automation_waits_event on automation_waits (organization_id, event_type, subject_id)',

  `create table automation_secrets (
     ${tenant},
     name text not null,
     value text not null,
     created_by text not null default '',
     ${times})`,
  'create unique index automation_secrets_name on automation_secrets (organization_id, name)',

  // What purges took of the runs, by their last state.
  `create table automation_counts (
     ${organization},
     rule_id uuid not null,
     state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
     count bigint not null,
     primary key (organization_id, rule_id, state))`,

  // What was counted of an organization's runs, and when; of one rule, or with the id of zeros of all. present: how many rows that took.
  `create table automation_run_counts (
     ${organization},
     rule_id uuid not null,
     counts jsonb not null,
     present bigint not null,
     counted_at timestamptz not null,
     due_at timestamptz not null,
     primary key (organization_id, rule_id))`,

  // Starts that were held back. told_at: when the event last said so; told: how many it has told.
  `create table automation_held (
     ${organization},
     ${ofRule} on delete cascade,
     reason text not null check (reason in ('loop', 'chain_too_long', 'too_often', 'subject_busy', 'too_many_runs')),
     count int not null default 0,
     told int not null default 0,
     told_at timestamptz,
     updated_at timestamptz not null default clock_timestamp(),
     primary key (organization_id, rule_id, reason))`,

  // An occurrence of a schedule with for_each: how far its listing was read. A row until its end.
  `create table automation_occurrences (
     ${organization},
     ${ofRule} on delete cascade,
     occurs_at timestamptz not null,
     version int not null,
     after uuid,
     made int not null default 0,
     ${created},
     primary key (organization_id, rule_id, occurs_at))`,

  // When a rule last gave a conversation to a member, by turns.
  `create table automation_turns (
     ${organization},
     ${ofRule} on delete cascade,
     user_id uuid not null,
     taken_at timestamptz not null default clock_timestamp(),
     primary key (organization_id, rule_id, user_id),
     foreign key (organization_id, user_id) references memberships (organization_id, user_id) on delete cascade)`,
  // Of the foreign key, when a member leaves.
  'create index automation_turns_member on automation_turns (organization_id, user_id)',
  // Who has the fewest open ones.
  `create index conversations_open on conversations (organization_id, assignee_id)
    where status = 'open' and assignee_id is not null`,

  ...manyRowsEach(
    'automation_rules',
    'automation_rule_versions',
    'automation_runs',
    'automation_steps',
    'automation_waits',
    'automation_secrets',
    'automation_counts',
    'automation_run_counts',
    'automation_held',
    'automation_occurrences',
    'automation_turns',
  ),
];

const down = [
  'drop index conversations_open',
  'drop table automation_turns',
  'drop table automation_occurrences',
  'drop table automation_held',
  'drop table automation_run_counts',
  'drop table automation_counts',
  'drop table automation_secrets',
  'drop table automation_waits',
  'drop table automation_steps',
  'drop table automation_runs',
  'drop table automation_rule_versions',
  'drop table automation_rules',
  'alter table messages drop column origin',
  'alter table events drop column cause, drop column chain',
];
