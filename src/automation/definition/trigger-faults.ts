import { contactFields } from '../../contacts/list.ts';
import { dealFields } from '../../deals/list.ts';
import { conversationFields } from '../../messaging/inbox/list.ts';
import { cut } from '../../platform/cut.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import { type Fields, fieldNames, fieldOf } from '../../platform/listing/fields.ts';
import { taskFields } from '../../tasks/list.ts';
import { maxStartsAnHour } from '../limits.ts';
import { assertCron, nextOfCron } from '../schedule/cron.ts';
import type { ForEach, Limits, Trigger } from './definition.ts';
import { forEachListing } from './for-each.ts';
import { inBody } from './shape.ts';

/** The kinds whose fields are the same for all organizations. */
export const builtIn: Record<string, Fields> = {
  contact: contactFields,
  conversation: conversationFields,
  deal: dealFields,
  task: taskFields,
};

/** What is wrong with the times of a trigger, and with the list that it names. Pure: kinds of records are looked up when the rule is published. */
export function scheduleFaults(trigger: Trigger, limits: Limits): ErrorDetail[] {
  if (trigger.type === 'date') return dateFaults(trigger);
  if (trigger.type !== 'schedule') return [];
  const { cron, for_each } = trigger;
  const fault = cronFault(cron);
  const listed = for_each ? forEachFaults(for_each) : [];
  if (fault) return [inBody(['trigger', 'cron'], ...fault), ...listed];
  return for_each ? [...tooOften(cron, limits), ...listed] : [];
}

/** Just before an hour, of any day: whether a pattern ever falls does not depend on it. */
const someDay = new Date('2025-12-31T23:59:59.999Z');

function cronFault(cron: string): [code: string, message: string] | undefined {
  if (!/^\S+(\s+\S+){4}$/.test(cron))
    return ['cron.fields', 'A cron has five fields: minute, hour, day of the month, month, day of the week'];
  try {
    assertCron(cron);
  } catch (error) {
    return ['cron.invalid', `It is not a cron: ${cut(error instanceof Error ? error.message : '', 200)}`];
  }
  return nextOfCron(cron, 'UTC', someDay) ? undefined : ['cron.never', 'This time never comes'];
}

const hourMs = 3_600_000;

/** Each moment begins a run for every subject, and what is more than a subject's starts in an hour would be held back. */
function tooOften(cron: string, { starts_per_hour: max = maxStartsAnHour }: Limits): ErrorDetail[] {
  const first = nextOfCron(cron, 'UTC', someDay);
  if (!first) return [];
  // All hours that have a moment have the same minutes.
  const end = (Math.floor(first.getTime() / hourMs) + 1) * hourMs;
  let count = 0;
  for (let at: Date | undefined = first; at && at.getTime() < end && count <= max; at = nextOfCron(cron, 'UTC', at)) count++;
  const message = `With for_each a schedule comes at most ${max} times an hour: a subject has no more starts`;
  return count > max ? [inBody(['trigger', 'cron'], 'cron.too_often', message)] : [];
}

function dateFaults({ kind, field }: Extract<Trigger, { type: 'date' }>): ErrorDetail[] {
  if (kind === 'conversation')
    return [inBody(['trigger', 'kind'], 'kind.unknown', 'A date is one of a contact, a deal, a task or a record')];
  const fields = Object.hasOwn(builtIn, kind) ? builtIn[kind] : undefined;
  return fields ? dateFieldFaults(fields, field) : [];
}

/** Of the fields that hold a date or a time; a key of JSON may hold one. */
export function dateFieldFaults(fields: Fields, name: string): ErrorDetail[] {
  const isDate = (one: string) => {
    const found = fieldOf(fields, one);
    const type = found?.typed?.type ?? found?.type;
    return type === 'date' || type === 'time' || type === 'json';
  };
  if (isDate(name)) return [];
  const known = fieldNames(fields).filter(isDate).join(', ');
  return [inBody(['trigger', 'field'], 'date.field', `field must be a date or a time: ${known}`)];
}

function forEachFaults(forEach: ForEach): ErrorDetail[] {
  const { kind, tags, segment_ids } = forEach;
  const at = ['trigger', 'for_each'];
  const ofContacts = Object.entries({ tags, segment_ids }).filter(([, value]) => value !== undefined && kind !== 'contact');
  const strangers = ofContacts.map(([name]) => inBody([...at, name], 'for_each.contacts_only', `${name} selects contacts only`));
  const fields = Object.hasOwn(builtIn, kind) ? builtIn[kind] : undefined;
  return [...strangers, ...(fields ? listingFaults(fields, forEach) : [])];
}

/** Of what the list itself takes. */
export function listingFaults(fields: Fields, forEach: ForEach): ErrorDetail[] {
  try {
    // Tags of other kinds than contacts have their own fault.
    forEachListing(fields, forEach.kind === 'contact' ? forEach : { ...forEach, tags: [] });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details ?? []).map((one) => ({ ...one, field: `trigger.for_each.${one.field}` }));
  }
}
