import { Gauge, type Registry } from 'prom-client';

/** As in src/automation/states.ts; a run that waits is a running one. */
const runStates = ['queued', 'running', 'waiting'];
const ruleStatuses = ['draft', 'live', 'paused'];
const heldReasons = ['loop', 'chain_too_long', 'too_often', 'rule_too_often', 'subject_busy', 'too_many_runs'];
/** Each is a row that is read: runs that wait may be a million. */
const maxCounted = 100_000;

/** SQL (all of this file): counts over all organizations. */
export const liveRuns = `
  select case when waiting_for is not null then 'waiting' else state end as state, count(*)::int as runs
    from (select state, waiting_for
            from automation_runs
           where state in ('queued', 'running')
           limit ${maxCounted}) r
   group by 1`;

export const rulesByStatus = `
  select status, count(*)::int as rules
    from automation_rules
   where deleted_at is null
   group by status`;

/** By themselves: what somebody paused has no reason. */
export const rulesPausedLately = `
  select count(*)::int as rules
    from automation_rules
   where status = 'paused'
     and paused_reason <> ''
     and deleted_at is null
     and paused_at > statement_timestamp() - interval '1 hour'`;

export const heldStarts = `
  select reason, sum(count)::float8 as starts
    from automation_held
   group by reason`;

export type AutomationFigures = {
  liveRuns: { state: string; runs: number }[];
  rules: { status: string; rules: number }[];
  rulesPausedLately: number;
  heldStarts: { reason: string; starts: number }[];
};

export function automationGauges(registry: Registry): { show(figures: AutomationFigures | undefined): void } {
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const runs = gauge('kanal_automation_runs', `Live runs of rules by what they do, up to ${maxCounted} in all`, 'state');
  const rules = gauge('kanal_automation_rules', 'Rules by status', 'status');
  const paused = gauge('kanal_automation_rules_paused_by_themselves', 'Rules that paused themselves within the last hour');
  const held = gauge(
    'kanal_automation_held_starts',
    'Starts of rules that were held back since they were made, by reason',
    'reason',
  );
  return {
    show(figures) {
      for (const labelled of [runs, rules, held]) labelled.reset();
      paused.remove();
      if (!figures) return;
      for (const state of runStates) runs.set({ state }, 0);
      for (const { state, runs: count } of figures.liveRuns) runs.set({ state }, count);
      for (const status of ruleStatuses) rules.set({ status }, 0);
      for (const { status, rules: count } of figures.rules) rules.set({ status }, count);
      paused.set(figures.rulesPausedLately);
      for (const reason of heldReasons) held.set({ reason }, 0);
      for (const { reason, starts } of figures.heldStarts) held.set({ reason }, starts);
    },
  };
}
