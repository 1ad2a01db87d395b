import type { Own } from '../../platform/database/own.ts';
import { ofRules } from '../../platform/events/automation-events.ts';
import { holds } from '../conditions/evaluate.ts';
import { type Facts, loadFacts } from '../conditions/facts.ts';
import { type Subject, subjectOf } from '../conditions/subject.ts';
import type { RunTrigger } from '../states.ts';
import { awaitedBy } from './awaited.ts';
import { clockOf } from './clock.ts';
import type { Published, ReadVersions } from './definitions.ts';
import { type EvaluatedEvent, findEvaluated, type LiveRule, triggeredBy } from './event.ts';
import type { RunStart } from './start-runs.ts';

export type Evaluating = { own: Own; stopWords: string[]; read: ReadVersions };
/** What an event begins, and the runs that waited for it. */
export type Evaluation = { eventId: string; starts: RunStart[]; wakes: string[] };

type Triggered = { rule: LiveRule; published: Published; trigger: RunTrigger };

/** Which rules begin with the event, by their triggers and conditions, and which runs wait for it. It changes nothing. */
export async function lookAtEvent({ own, stopWords, read }: Evaluating, eventId: string): Promise<Evaluation> {
  const nothing = { eventId, starts: [], wakes: [] };
  const event = await findEvaluated(own, eventId);
  if (!event || ofRules.includes(event.type as (typeof ofRules)[number])) return nothing;
  const triggered = await triggeredRules(own, event, stopWords, read);
  if (triggered.length === 0 && !event.is_awaited) return nothing;
  const subject = await subjectOf(own, event);
  const { subjectId, contactId } = subject;
  const subjects = [...new Set([event.subject_id, subjectId, ...(contactId ? [contactId] : [])])];
  const wakes = event.is_awaited ? await awaitedBy(own, event, subjects, read) : [];
  return { eventId, starts: await startsOf(own, event, subject, triggered), wakes };
}

async function triggeredRules(own: Own, event: EvaluatedEvent, stopWords: string[], read: ReadVersions): Promise<Triggered[]> {
  if (event.rules.length === 0) return [];
  const versions = await read(own, event.rules);
  return event.rules.flatMap((rule) => {
    const published = versions.of(rule);
    const trigger = published && triggeredBy(event, published, stopWords);
    return trigger ? [{ rule, published, trigger }] : [];
  });
}

async function startsOf(own: Own, event: EvaluatedEvent, subject: Subject, triggered: Triggered[]): Promise<RunStart[]> {
  const { contactId, subjectType, subjectId } = subject;
  const needed = new Set(triggered.flatMap(({ published }) => [...published.roots]));
  const isAsked = triggered.some(({ published }) => published.definition.conditions !== null);
  const facts = isAsked ? await loadFacts(own, { eventId: event.id, ...subject }, needed) : undefined;
  return triggered
    .filter(({ published }) => isMet(published, facts))
    .map(({ rule, published: { definition }, trigger }) => {
      const { concurrency, limits } = definition;
      return {
        rule: { id: rule.id, trigger: definition.trigger, concurrency, limits },
        version: rule.version,
        subject: { subjectType, subjectId },
        contactId,
        chain: event.chain ?? [],
        eventId: event.id,
        run: { mode: rule.mode, trigger },
      };
    });
}

const isMet = ({ definition: { conditions } }: Published, facts: Facts | undefined): boolean =>
  conditions === null || holds(conditions, facts!, clockOf(facts!)).holds;
