import { findMessage } from '../../messaging/queries.ts';
import { getOrganization } from '../../organizations/organizations.ts';
import type { Own } from '../../platform/database/own.ts';
import { invalidField } from '../../platform/errors.ts';
import { catalogue } from '../../platform/events/catalogue.ts';
import { isUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { iso } from '../../platform/time/moment.ts';
import type { Action, StepContext } from '../actions/action.ts';
import { findEvent } from '../conditions/event-row.ts';
import { type Facts, subjectOf } from '../conditions/facts.ts';
import { eventFacts, messageFacts } from '../conditions/plain-facts.ts';
import type { Definition, SubjectType } from '../definition/definition.ts';
import { wouldBegin } from '../evaluate/would-begin.ts';
import { contextOf } from './context-of.ts';
import { RunScope } from './scope.ts';
import { type Asked, ShownConditions } from './shown-conditions.ts';
import { isSubjectThere } from './subject-there.ts';
import { type Shown, Walk } from './walk-shown.ts';

/** What a rule is tried with: an event that happened, one that did not, or a subject alone. */
export type Tried = {
  event_id?: string;
  event?: { type: string; data: Record<string, unknown> };
  subject?: { type: SubjectType; id: string };
};
export type TrialDeps = { own: Own; secrets: Secrets; actions: ReadonlyMap<string, Action>; stopWords: string[] };

/** `is_triggered`: whether the trigger begins with the event; null: there is none. `conditions`: what each saw; null: the rule has none. */
export type Trial = {
  is_triggered: boolean | null;
  subject_type: string;
  subject_id: string;
  contact_id: string | null;
  conditions: Asked | null;
  exit_when: Asked | null;
  steps: Shown[];
};

type About = { subjectType: SubjectType; subjectId: string; contactId: string | null };
type Happened = { type: string; data: Record<string, unknown> };
type Start = About & { eventId: string | null; given: Partial<Facts>; event?: Happened };

/** What a definition would do now. Looks, and writes nothing. Throws 422 for an event or a subject that is not there. */
export async function tryRule(deps: TrialDeps, ruleId: string, rule: Definition, tried: Tried): Promise<Trial> {
  const { own } = deps;
  const start = await startOf(own, tried);
  const { timezone, business_hours: hours } = await getOrganization(own);
  const clock = { now: nowDate(), hours, timezone };
  const refs = { eventId: start.eventId, subjectType: start.subjectType, subjectId: start.subjectId, contactId: start.contactId };
  const scope = new RunScope(own, refs, async () => ({}), clock, start.given);
  await scope.need(rule.conditions, rule.exit_when, rule.steps);
  const shown = new ShownConditions();
  const asked = async (conditions: Definition['conditions']) => conditions && shown.of(await scope.holds(conditions));
  const context = await contextFor(deps, ruleId, start);
  return {
    is_triggered: start.event ? await wouldBegin(own, start.event, rule, deps.stopWords) : null,
    subject_type: start.subjectType,
    subject_id: start.subjectId,
    contact_id: start.contactId,
    conditions: await asked(rule.conditions),
    exit_when: await asked(rule.exit_when),
    steps: await new Walk(deps.actions, scope, context, clock, shown).through(rule.steps),
  };
}

function contextFor({ own, secrets }: Pick<TrialDeps, 'own' | 'secrets'>, rule_id: string, about: About): Promise<StepContext> {
  const run = { id: own.organizationId, rule_id, subject_type: about.subjectType, subject_id: about.subjectId };
  const never = () => Promise.reject(new Error('A trial writes nothing'));
  return contextOf({ own, transact: never, secrets }, { ...run, contact_id: about.contactId, chain: [rule_id] });
}

async function startOf(own: Own, { event_id, event, subject }: Tried): Promise<Start> {
  if (event_id) {
    const found = await findEvent(own, event_id);
    if (!found) throw invalidField('event_id', 'There is no such event, or it was purged', 'event.unknown');
    return { ...(await subjectOf(own, found)), eventId: event_id, given: {}, event: found };
  }
  return event ? startOfGiven(own, event) : startOfSubject(own, subject!);
}

async function startOfSubject(own: Own, { type, id }: NonNullable<Tried['subject']>): Promise<Start> {
  const isThere = type === 'organization' ? id === own.organizationId : await isSubjectThere(own, type, id);
  if (!isThere) throw invalidField('subject.id', `There is no such ${type}`, 'subject.unknown');
  const about = await subjectOf(own, { id, type: '', subject_type: type, subject_id: id, data: {} });
  return { ...about, eventId: null, given: {} };
}

const isId = (given: unknown): given is string => typeof given === 'string' && isUuid(given);

/** As if it had happened now. */
async function startOfGiven(own: Own, { type, data }: NonNullable<Tried['event']>): Promise<Start> {
  const contract = catalogue.find((one) => one.type === type);
  if (!contract) throw invalidField('event.type', `There is no event ${type}`, 'event.unknown');
  const whole = { ...data, organization_id: own.organizationId };
  const { error } = contract.data.unknown(true).validate(whole, { convert: false });
  if (error) throw invalidField('event.data', error.message);
  const idNames = Object.entries(contract.example).flatMap(([name, value]) => (isId(value) ? [name] : []));
  const noId = idNames.find((name) => data[name] != null && !isId(data[name]));
  if (noId) throw invalidField(`event.data.${noId}`, `${noId} must be a UUID`, 'string.guid');
  const subjectId = String(whole[contract.subject.id as keyof typeof whole]);
  const row = { id: own.organizationId, type, subject_type: contract.subject.type, subject_id: subjectId, data: whole };
  const about = await subjectOf(own, row);
  if (!(await isSubjectThere(own, about.subjectType, about.subjectId)))
    throw invalidField('event.data', `There is no such ${about.subjectType}`, 'subject.unknown');
  const message = isId(data.message_id) ? messageFacts(await findMessage(own, data.message_id)) : undefined;
  const created_at = iso(nowDate());
  const known = { ...about, eventId: null, event: row };
  return { ...known, given: { event: eventFacts({ ...row, created_at } as never), ...(message && { message }) } };
}
