import type { Own } from '../../platform/database/own.ts';
import { ofRules } from '../../platform/events/automation-events.ts';
import { slices } from '../../platform/load/slices.ts';
import { holds } from '../conditions/evaluate.ts';
import { type Facts, loadFacts } from '../conditions/facts.ts';
import { type Subject, subjectOf } from '../conditions/subject.ts';
import type { RunTrigger } from '../states.ts';
import { type Awaited, awaitedBy, firstRun } from './awaited.ts';
import { clockOf } from './clock.ts';
import type { Evaluating, Published } from './definitions.ts';
import { type EvaluatedEvent, findEvaluated, type LiveRule, triggeredBy } from './event.ts';
import type { RunStart } from './start-runs.ts';

/** What an event begins, and the next of the runs that waited for it. `last`: after which of these the others are looked for; what the event begins comes with the last ones. */
export type Evaluation = { eventId: string; after: string; starts: RunStart[]; wakes: string[]; last: string | null };

type Triggered = { rule: LiveRule; published: Published; trigger: RunTrigger };

/** Definitions of so many rules are read at once: what one organization has published must not fill the memory of a worker. */
const atOnce = 20;

/**
 * Which rules begin with the event, by their triggers and conditions, and which runs wait for it. It changes nothing. `read`: the event, of a moment ago;
 * `after`: of those that wait for it the next ones.
 */
export async function lookAtEvent(
  evaluating: Evaluating,
  eventId: string,
  { after = firstRun, read }: { after?: string; read?: EvaluatedEvent } = {},
): Promise<Evaluation> {
  const { own } = evaluating;
  const nothing = { eventId, after, starts: [], wakes: [], last: null };
  const event = read ?? (await findEvaluated(own, eventId));
  if (!event || ofRules.includes(event.type as (typeof ofRules)[number])) return nothing;
  const about = new About(own, event);
  const { woken: wakes, last } = event.is_awaited ? await wakesBy(evaluating, event, await about.subject(), after) : noWakes;
  if (last !== null) return { ...nothing, wakes, last };
  const starts: RunStart[] = [];
  for (let from = 0; from < event.rules.length; from += atOnce)
    starts.push(...(await startsAmong(evaluating, event, about, event.rules.slice(from, from + atOnce))));
  return { ...nothing, starts, wakes };
}

const noWakes: Awaited = { woken: [], last: null };

async function wakesBy(evaluating: Evaluating, event: EvaluatedEvent, about: Subject, after: string): Promise<Awaited> {
  const targets = event.subject_type === 'task' ? await targetsOf(evaluating.own, event.subject_id) : [];
  const subjects = [event.subject_id, about.subjectId, ...(about.contactId ? [about.contactId] : []), ...targets];
  return awaitedBy(evaluating, event, [...new Set(subjects)], after);
}

/** SQL: ids alone. A run about a deal hears of the deal's tasks, too. */
const targetsStatement = `
  select object_id as id
    from task_targets
   where organization_id = $1
     and task_id = $2`;

async function targetsOf(own: Own, taskId: string): Promise<string[]> {
  const rows = await own.sql<{ id: string }>(targetsStatement, [taskId]);
  return rows.map(({ id }) => id);
}

/** What the rules of an event ask about, read when the first of them asks. */
class About {
  private readonly own: Own;
  private readonly event: EvaluatedEvent;
  private readonly needed = new Set<string>(['organization']);
  private known: Subject | undefined;
  private facts: Facts | undefined;

  constructor(own: Own, event: EvaluatedEvent) {
    this.own = own;
    this.event = event;
  }

  async subject(): Promise<Subject> {
    this.known ??= await subjectOf(this.own, this.event);
    return this.known;
  }

  async factsFor(roots: Set<string>): Promise<Facts> {
    if (!this.facts || [...roots].some((root) => !this.needed.has(root))) {
      for (const root of roots) this.needed.add(root);
      this.facts = await loadFacts(this.own, { eventId: this.event.id, ...(await this.subject()) }, this.needed);
    }
    return this.facts;
  }
}

async function startsAmong(
  { own, stopWords, read, onFault }: Evaluating,
  event: EvaluatedEvent,
  about: About,
  rules: LiveRule[],
): Promise<RunStart[]> {
  const versions = await read(own, rules);
  /** Undefined: it cannot be said. */
  const tried = <Result>(ruleId: string, ask: () => Result): Result | undefined => {
    try {
      return ask();
    } catch (error) {
      onFault?.(error, ruleId);
      return undefined;
    }
  };
  const turnOfOthers = slices();
  const triggered: Triggered[] = [];
  for (const rule of rules) {
    const published = versions.of(rule);
    const trigger = published && tried(rule.id, () => triggeredBy(event, published, stopWords));
    if (trigger) triggered.push({ rule, published, trigger });
    await turnOfOthers();
  }
  if (triggered.length === 0) return [];
  const subject = await about.subject();
  const asked = triggered.filter(({ published }) => published.definition.conditions !== null);
  const needed = new Set(asked.flatMap(({ published }) => [...published.roots]));
  const facts = asked.length > 0 ? await about.factsFor(needed) : undefined;
  const starts: RunStart[] = [];
  for (const one of triggered) {
    if (tried(one.rule.id, () => isMet(one.published, facts))) starts.push(startOf(event, subject, one));
    await turnOfOthers();
  }
  return starts;
}

function startOf(
  { id: eventId, chain }: EvaluatedEvent,
  { contactId, subjectType, subjectId }: Subject,
  one: Triggered,
): RunStart {
  const { rule, published, trigger } = one;
  const { concurrency, limits, trigger: begins } = published.definition;
  return {
    rule: { id: rule.id, trigger: begins, concurrency, limits, callsOutside: published.callsOutside },
    version: rule.version,
    subject: { subjectType, subjectId },
    contactId,
    chain: chain ?? [],
    eventId,
    run: { mode: rule.mode, trigger },
  };
}

const isMet = ({ definition: { conditions } }: Published, facts: Facts | undefined): boolean =>
  conditions === null || holds(conditions, facts!, clockOf(facts!)).holds;
