import type { Conditions } from '../conditions/conditions.ts';

/** What a run is about. `organization`: a schedule without `for_each`. */
export const subjectTypes = ['contact', 'conversation', 'deal', 'task', 'record', 'organization'] as const;
export type SubjectType = (typeof subjectTypes)[number];

/** A stored listing, as the API's lists and segments have it; each of its rows is a subject. `kind`: `contact`, `conversation`, `deal`, `task`, or a kind of records. */
export type ForEach = {
  kind: string;
  filters?: unknown[];
  any?: unknown[][];
  search?: string;
  tags?: string[];
  segment_ids?: string[];
};

export type Duration = { days?: number; hours?: number; minutes?: number; seconds?: number };

export type Trigger =
  /** `event`: a type of the catalogue, except those of automation itself. */
  | { type: 'event'; event: string }
  /** An inbound message; folded as search is. A stop word never starts one. */
  | { type: 'keyword'; match: 'exact' | 'contains' | 'starts_with'; keywords: string[]; channel_ids?: string[] }
  /** `cron`: five fields. Without `timezone` the organization's. */
  | { type: 'schedule'; cron: string; timezone?: string; for_each?: ForEach }
  /** A date field of `kind`; so many days before (below 0) or after, at a time of day. `yearly`: a birthday. */
  | {
      type: 'date';
      kind: string;
      field: string;
      offset_days?: number;
      at?: string;
      timezone?: string;
      repeat?: 'once' | 'yearly';
    }
  | { type: 'manual'; subject?: SubjectType }
  /** `POST /v1/automation/events` with this name. */
  | { type: 'api'; name: string };

/** Texts in it are literals or Liquid. Each action's own fields stand beside `id` and `type`: its Joi schema has them (actions/). */
export type ActionStep = { id: string; type: string; [field: string]: unknown };

export type WaitStep = {
  id: string;
  type: 'wait';
  /** One of the two. `until`: a time, or Liquid that gives one, such as `{{ deal.expected_close_at }}`. */
  for?: Duration;
  until?: string;
  /** Goes on only within the organization's business hours. */
  business_hours?: boolean;
  /** False: the rule's conditions are not asked again afterwards. */
  recheck?: boolean;
};
export type WaitForStep = {
  id: string;
  type: 'wait_for';
  event: string;
  conditions?: Conditions;
  timeout: Duration;
  recheck?: boolean;
  /** What happens before the next step, by what came. */
  on_event?: Step[];
  on_timeout?: Step[];
};
export type Branch = { conditions: Conditions; steps: Step[] };
export type BranchStep = { id: string; type: 'branch'; branches: Branch[]; else?: Step[] };
export type StopStep = { id: string; type: 'stop'; reason?: string };
export type SetVarsStep = { id: string; type: 'set_vars'; vars: Record<string, unknown> };
export type ControlStep = WaitStep | WaitForStep | BranchStep | StopStep | SetVarsStep;
export type Step = ActionStep | ControlStep;

export const concurrencies = ['skip', 'each', 'restart'] as const;
export type Concurrency = (typeof concurrencies)[number];

export type Limits = {
  /** Starts for one subject in an hour, 1 to 10. */
  starts_per_hour?: number;
  /** Starts in an hour, whatever the subjects, 1 to 100,000. */
  rule_starts_per_hour?: number;
  /** Steps of a run, 1 to 1,000. */
  steps?: number;
  /** It may start again from its own effect. */
  allow_reentry?: boolean;
};

/** What a version freezes. */
export type Definition = {
  trigger: Trigger;
  /** Null: always. */
  conditions: Conditions | null;
  steps: Step[];
  concurrency: Concurrency;
  exit_when: Conditions | null;
  limits: Limits;
};

export const isControl = (step: Step): step is ControlStep =>
  step.type === 'wait' || step.type === 'wait_for' || step.type === 'branch' || step.type === 'stop' || step.type === 'set_vars';
