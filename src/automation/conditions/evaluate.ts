import type { BusinessHours } from '../../organizations/organization.entity.ts';
import { isFault, readFilter } from '../../platform/listing/filters.ts';
import { isMoment, momentMs } from '../../platform/time/moment.ts';
import { actualOf, objectOf, valueIn } from './actual.ts';
import { isWithinHours } from './business-hours.ts';
import { conditionHolds, isNothing } from './compare.ts';
import type { Comparison, Conditions } from './conditions.ts';
import { behind, type Facts } from './facts.ts';
import { type Folds, foldsOnce } from './folds.ts';
import { isChange, now, withinHours } from './more-operators.ts';
import { changeNameOf, type Named, namedField } from './named.ts';
import type { Plain } from './plain-facts.ts';

export { rootsOf } from './roots.ts';

/** Of a condition that was asked. `path`: where it stands, such as `all[0].any[1]`. */
export type Seen = { path: string; field: string; operator: string; value: unknown; actual: unknown; holds: boolean };

/** `hours` and `timezone`: the organization's. */
export type Clock = { now: Date; hours: BusinessHours; timezone: string };

type Asking = { facts: Facts; clock: Clock; seen: Seen[]; folds: Folds };

/**
 * Whether they hold of the facts, as the list would give the record. Each is asked, so that all is seen. Of an object that is not there no
 * comparison holds, nor one that the object's type has no field for.
 */
export function holds(conditions: Conditions | null, facts: Facts, clock: Clock): { holds: boolean; seen: Seen[] } {
  const seen: Seen[] = [];
  return { holds: conditions === null || ask(conditions, '', { facts, clock, seen, folds: foldsOnce() }), seen };
}

function ask(given: Conditions, path: string, asking: Asking): boolean {
  const below = path && `${path}.`;
  const each = (list: Conditions[], name: string) => list.map((one, index) => ask(one, `${below}${name}[${index}]`, asking));
  if ('all' in given) return !each(given.all, 'all').includes(false);
  if ('any' in given) return each(given.any, 'any').includes(true);
  if ('not' in given) return !ask(given.not, `${below}not`, asking);
  const { field, operator = 'eq', value } = given;
  const { actual, holds } = compared(given, asking);
  asking.seen.push({ path, field, operator, value, actual, holds });
  return holds;
}

type Outcome = { actual: unknown; holds: boolean };
const no = (actual?: unknown): Outcome => ({ actual, holds: false });

function compared(given: Comparison, asking: Asking): Outcome {
  const { facts, folds } = asking;
  const { field, operator = 'eq' } = given;
  if (operator === withinHours) return within(given, asking);
  const named = namedField(field, facts[behind]?.recordFields);
  if (isChange(operator)) return changed(given, operator, named, asking);
  if (!named || !objectOf(facts, named)) return no();
  return heldBy(given, named, actualOf(facts, named), folds);
}

/** A value is read as the list reads it. */
function heldBy({ operator, value }: Comparison, { name, fields }: Named, actual: unknown, folds: Folds): Outcome {
  const read = readFilter(fields, { field: name, ...(operator && { operator }), ...(value !== undefined && { value }) });
  return isFault(read) ? no(actual) : { actual, holds: conditionHolds(read, actual, folds) };
}

function within({ field, value = true }: Comparison, { facts, clock }: Asking): Outcome {
  const named = field === now ? undefined : namedField(field, facts[behind]?.recordFields);
  const actual = field === now ? clock.now.toISOString() : named && actualOf(facts, named);
  if (typeof actual !== 'string' || !isMoment(actual)) return no(actual);
  return { actual, holds: isWithinHours(momentMs(actual), clock.hours, clock.timezone) === value };
}

/** What the event tells of its object. */
function changed({ field, value }: Comparison, operator: string, named: Named | undefined, { facts, folds }: Asking): Outcome {
  const told = facts[behind]?.told;
  const { root, name } = changeNameOf(field, named);
  if (told?.root !== root) return no();
  const change = Object.hasOwn(told.changes, name) ? told.changes[name] : undefined;
  if (operator === 'changed') return { actual: change ?? told.names, holds: told.names.includes(name) };
  if (!change || !named) return no();
  const shown = operator === 'changed_from' ? change.from : change.to;
  const actual = valueIn(objectWith(named, name, shown), named);
  if (value === null) return { actual, holds: isNothing(actual) || actual === '' };
  return heldBy({ field, operator: Array.isArray(value) ? 'in' : 'eq', value }, named, actual, folds);
}

/** An object of the root with this value alone. */
function objectWith({ field }: Named, name: string, value: unknown): Plain {
  if (field.typed) return { fields: { [name]: value } };
  return field.type === 'json' ? { custom_fields: { [field.key!]: value } } : { [name]: value };
}
