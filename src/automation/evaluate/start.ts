import type { Own } from '../../platform/database/own.ts';
import type { Definition, SubjectType } from '../definition/definition.ts';
import { stepsIn } from '../definition/walk.ts';
import { maxChain, maxStartsAnHour, usualRuleStartsAnHour } from '../limits.ts';
import type { HeldReason } from '../states.ts';
import { heldEvery } from './held.ts';
import { isFullOfRuns } from './live-runs.ts';

/** A rule with what its version says about its starts. */
export type StartRule = { id: string; callsOutside?: boolean } & Pick<Definition, 'trigger' | 'concurrency' | 'limits'>;

export const startRuleOf = (id: string, { trigger, concurrency, limits, steps }: Definition): StartRule => ({
  ...{ id, trigger, concurrency, limits },
  callsOutside: [...stepsIn(steps)].some(({ step }) => step.type === 'http_request'),
});
export type StartSubject = { subjectType: SubjectType; subjectId: string };
/**
 * `chain`: the rules that what starts it has passed through, without its own. `eventId`: it starts once for the event; `occursAt`: once for the subject at
 * that moment.
 */
export type Start = { rule: StartRule; subject: StartSubject; chain: string[]; eventId?: string; occursAt?: Date };

/** `none`: the event or the moment has begun its run before, or the rule is no longer live. */
export type Verdict = 'ok' | 'none' | HeldReason;
/** `restarts`: live runs to cancel before the new one begins. `isTold`: that starts are held back by it was told within the hour. */
export type Admission = { verdict: Verdict; restarts: string[]; isTold: boolean };

type Counted = { is_none: boolean; starts: number; of_rule: number; live: string[]; told: HeldReason[] };

/**
 * SQL: a few looks for each rule and subject, by index; the subject's runs of the last hour are counted no further than to the limit. `coalesce`: the rule is
 * found by its id, not among all that are live (ledger/states.ts). Moments are counted by their own time: of two that are an hour apart the second may be
 * worked off some milliseconds less than an hour after the first.
 */
const countOf = (organization: string, ...[rules, subjects, events, maxes, singles, moments, maxesOfRules]: string[]) => `
  select s.event_id is not null
         and (exists (
                select 1
                  from automation_runs r
                 where r.organization_id = ${organization} and r.rule_id = s.rule_id and r.event_id = s.event_id)
              or not exists (
                select 1
                  from automation_rules a
                 where a.organization_id = ${organization} and a.id = s.rule_id and coalesce(a.status, '') = 'live' and a.deleted_at is null))
         or s.occurs_at is not null
         and exists (
               select 1
                 from automation_runs r
                where r.organization_id = ${organization} and r.rule_id = s.rule_id and r.occurs_at = s.occurs_at
                  and r.subject_id = s.subject_id) as is_none,
         (select count(*)::int
            from (select 1
                    from automation_runs r
                   where r.organization_id = ${organization} and r.subject_id = s.subject_id and r.rule_id = s.rule_id
                     and r.created_at > clock_timestamp() - interval '1 hour'
                     and coalesce(r.occurs_at > s.occurs_at - interval '1 hour', true)
                   limit s.max) started) as starts,
         (select count(*)::int
            from (select 1
                    from automation_runs r
                   where r.organization_id = ${organization} and r.rule_id = s.rule_id
                     and r.created_at > clock_timestamp() - interval '1 hour'
                   limit s.max_of_rule) started) as of_rule,
         case when s.is_single
              then array(
                select r.id
                  from automation_runs r
                 where r.organization_id = ${organization} and r.subject_id = s.subject_id and r.rule_id = s.rule_id
                   and r.state in ('queued', 'running')
                 order by r.id)
              else '{}' end as live,
         array(
           select h.reason
             from automation_held h
            where h.organization_id = ${organization} and h.rule_id = s.rule_id
              and h.told_at > clock_timestamp() - ${heldEvery}) as told
    from unnest(${rules}::uuid[], ${subjects}::uuid[], ${events}::uuid[], ${maxes}::int[], ${singles}::boolean[], ${moments}::timestamptz[], ${maxesOfRules}::int[]) with ordinality
      as s(rule_id, subject_id, event_id, max, is_single, occurs_at, max_of_rule, place)
   order by s.place`;
const countStatement = countOf('$1', '$2', '$3', '$4', '$5', '$6', '$7', '$8');

const isTimed = ({ type }: Definition['trigger']) => type === 'schedule' || type === 'date';

/** A schedule starts as often as its times say, unless its author says less. */
const maxStartsOf = ({ limits, trigger }: StartRule): number =>
  limits.starts_per_hour ?? (isTimed(trigger) ? 0 : maxStartsAnHour);

/** What a rule does by itself is bounded by its chain. A call may do anything, and comes back as the work of a client. */
const maxStartsOfRule = ({ limits, trigger, callsOutside }: StartRule): number =>
  limits.rule_starts_per_hour ?? (callsOutside && !isTimed(trigger) ? usualRuleStartsAnHour : 0);

function heldByChain({ rule, chain }: Start): HeldReason | undefined {
  if (chain.includes(rule.id) && !rule.limits.allow_reentry) return 'loop';
  return chain.length >= maxChain ? 'chain_too_long' : undefined;
}

function judged(start: Start, { is_none, starts, of_rule, live, told }: Counted, isFull: boolean): Admission {
  const { concurrency } = start.rule;
  const max = maxStartsOf(start.rule);
  const maxOfRule = maxStartsOfRule(start.rule);
  if (is_none) return { verdict: 'none', restarts: [], isTold: false };
  const held =
    heldByChain(start) ??
    (max > 0 && starts >= max ? 'too_often' : undefined) ??
    (maxOfRule > 0 && of_rule >= maxOfRule ? 'rule_too_often' : undefined) ??
    (concurrency === 'skip' && live.length > 0 ? 'subject_busy' : undefined) ??
    (isFull ? 'too_many_runs' : undefined);
  if (held) return { verdict: held, restarts: [], isTold: told.includes(held) };
  return { verdict: 'ok', restarts: concurrency === 'restart' ? live : [], isTold: false };
}

const paramsOf = (starts: Start[]) => [
  starts.map(({ rule }) => rule.id),
  starts.map(({ subject }) => subject.subjectId),
  starts.map(({ eventId }) => eventId ?? null),
  starts.map(({ rule }) => maxStartsOf(rule)),
  starts.map(({ rule }) => rule.concurrency !== 'each'),
  starts.map(({ occursAt }) => occursAt?.toISOString() ?? null),
  starts.map(({ rule }) => maxStartsOfRule(rule)),
];

/** `counted`: what they follow from. */
export type Admitted = { admissions: Admission[]; counted: Counted[] };

/** In the order of `starts`. It holds until the commit only under the subjects' locks (`subjectLock`). */
export async function admitAll(own: Own, starts: Start[], isFullOf = isFullOfRuns): Promise<Admission[]> {
  return (await admitCounted(own, starts, isFullOf)).admissions;
}

export async function admitCounted(own: Own, starts: Start[], isFullOf = isFullOfRuns): Promise<Admitted> {
  if (starts.length === 0) return { admissions: [], counted: [] };
  const counted = await own.sql<Counted>(countStatement, paramsOf(starts));
  const isFull = await isFullOf(own);
  return { admissions: starts.map((start, index) => judged(start, counted[index]!, isFull)), counted };
}

/** SQL: what was counted is still so. Under the subjects' locks. Not how often the rule began: starts for other subjects hold other locks. */
export const isStillCounted = (organization: string, ...[counted, ...asked]: string[]) =>
  `(select jsonb_agg(jsonb_build_array(c.is_none, c.starts, c.live)) from (${countOf(organization, ...asked)}) c) = ${counted}::jsonb`;

/** In the order of its places. */
export const paramsOfCounted = (starts: Start[], counted: Counted[]): unknown[] => [
  JSON.stringify(counted.map(({ is_none, starts: number, live }) => [is_none, number, live])),
  ...paramsOf(starts),
];

/** Whether a rule may start for a subject now, or why not. What is held back is counted by `holdBack`. */
export async function admit(own: Own, rule: StartRule, subject: StartSubject, chain: string[]): Promise<'ok' | HeldReason> {
  const [admission] = await admitAll(own, [{ rule, subject, chain }]);
  return admission!.verdict as 'ok' | HeldReason;
}
