import type { Variables } from '../../liquid/variables.ts';
import { eventMembers } from '../conditions/event-names.ts';
import type { Trigger } from './definition.ts';
import { subjectFields } from './subject-fields.ts';
import { eventTypeOf } from './triggers.ts';

/** Types of the events that a run may be about: its trigger's, and those it waits for. `steps`: as given. */
export function eventsOf(trigger: Trigger, steps: unknown): string[] {
  const first = eventTypeOf(trigger);
  return [...new Set([...(first === null ? [] : [first]), ...awaitedIn(steps)])];
}

function awaitedIn(given: unknown): string[] {
  if (given === null || typeof given !== 'object') return [];
  const { type, event } = given as { type?: unknown; event?: unknown };
  const own = type === 'wait_for' && typeof event === 'string' ? [event] : [];
  return [...own, ...Object.values(given).flatMap(awaitedIn)];
}

/** By which conditions are checked; null: there is none, undefined: one of several. */
export const eventAmong = (events: string[]): string | null | undefined =>
  events.length === 0 ? null : events.length === 1 ? events[0] : undefined;

/**
 * What the texts of a step may name. `events`: of the rule; none: there is no event, as no rule hands its own on. `before`: the ids of the steps before it.
 * `mayHoldSecrets`: of a step that calls outside.
 */
export const variablesFor = (events: string[], before: ReadonlySet<string>, mayHoldSecrets: boolean): Variables => ({
  ...(events.length > 0 && { event: [...new Set(events.flatMap(eventMembers))] }),
  ...subjectFields,
  record: null,
  vars: null,
  steps: [...before],
  ...(mayHoldSecrets && { secrets: null }),
});
