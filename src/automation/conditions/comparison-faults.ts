import { eventTypes } from '../../platform/events/catalogue.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import { isFault, readFilter } from '../../platform/listing/filters.ts';
import { operators } from '../../platform/listing/operators.ts';
import { recordFieldsOf } from '../../records/types/listing.ts';
import { subjectFields } from '../definition/subject-fields.ts';
import { maxValueCharacters } from '../limits.ts';
import { changeToldBy } from './changes.ts';
import { eventMembers } from './event-names.ts';
import { isChange, now, withinHours } from './more-operators.ts';
import { type ConditionContext, type Named, namedField } from './named.ts';
import { isRoot, type Root, roots, splitName } from './roots.ts';

/** `at`: in the condition, such as `.value`. */
export type Found = { at: string; code: string; message: string };
const found = (at: string, code: string, message: string): Found => ({ at, code, message });

const keys = ['field', 'operator', 'value'];
const everyOperator: readonly unknown[] = operators;
const fieldOfRecord = /^[a-z][a-z0-9_]{0,62}(\.currency_code)?$/;

/** Two braces alone may be looked for in a message. A regular expression would look from each opening to the end of the text. */
export const looksLiquid = (text: string) => isWithin(text, '{{', '}}') || isWithin(text, '{%', '%}');

function isWithin(text: string, opening: string, closing: string): boolean {
  const at = text.indexOf(opening);
  return at >= 0 && text.includes(closing, at + opening.length);
}

const textsIn = (value: unknown) => [value].flat().filter((one) => typeof one === 'string');

/** The first thing that is wrong with one condition. */
export function comparisonFault(given: Record<string, unknown>, context: ConditionContext): Found | undefined {
  const unknown = Object.keys(given).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    return found(`.${unknown}`, 'object.unknown', 'A condition has field, operator and value, nothing else');
  const { field, operator = 'eq', value } = given;
  if (typeof field !== 'string') return found('.field', 'string.base', 'field must be a string such as contact.name');
  if (typeof operator !== 'string') return found('.operator', 'string.base', 'operator must be a string');
  const texts = textsIn(value);
  if (texts.some((text) => text.length > maxValueCharacters))
    return found('.value', 'string.max', `A text of a condition has at most ${maxValueCharacters} characters`);
  if (texts.some(looksLiquid))
    return found(
      '.value',
      'condition.liquid',
      'A condition compares with the value as it is written: Liquid in it is not rendered',
    );
  if (operator === withinHours) return hoursFault(field, value, context);
  const fault = rootFault(field, context);
  if (fault) return fault;
  if (isChange(operator)) return changeFault(field, operator, value, context);
  return listedFault({ field, operator, value }, context);
}

type Given = { field: string; operator: string; value: unknown };

/** Whether there can be such a root, and what is known of its names. */
function rootFault(field: string, { event, roots: there, steps }: ConditionContext): Found | undefined {
  const { root, rest } = splitName(field);
  if (!isRoot(root) || rest === '')
    return found('.field', 'any.only', `field must begin with one of ${roots.join(', ')}, and a dot`);
  if (there && !there.has(root)) return found('.field', 'any.only', `Nothing is known of a ${root} here`);
  if ((root === 'event' || root === 'message') && event === null)
    return found('.field', 'any.only', `There is no ${root} here: no event begins the rule`);
  const [member = ''] = rest.split('.');
  if (root === 'event' && event && !eventMembers(event).includes(member))
    return found('.field', 'any.only', `${event} has no ${member}: it has ${eventMembers(event).join(', ')}`);
  if (root === 'steps' && steps && !steps.has(member))
    return found('.field', 'any.only', `No step before this one has the id ${member}`);
  return undefined;
}

/** Of the list's own kind: of records, the first of the types that has no fault. */
function listedFault(given: Given, { types }: ConditionContext): Found | undefined {
  const { root, rest } = splitName(given.field);
  if (root !== 'record') return readFault(given);
  if (types && types.length > 0) return faultsOfEvery(given, types.map(recordFieldsOf))[0];
  if (namedField(given.field)) return readFault(given);
  if (!fieldOfRecord.test(rest)) return found('.field', 'any.only', `${rest} is no name of a field`);
  if (everyOperator.includes(given.operator)) return undefined;
  return found('.operator', 'any.only', `operator must be one of ${operators.join(', ')}`);
}

function readFault({ field, operator, value }: Given, recordFields?: Fields): Found | undefined {
  const named = namedField(field, recordFields);
  if (!named) return found('.field', 'any.only', noField(field));
  const read = readFilter(named.fields, { field: named.name, operator, ...(value !== undefined && { value }) });
  if (isFault(read)) return read;
  // Facts have milliseconds, as the API shows times.
  if (named.field.type === 'time' && read.values.some((one) => /\.\d{4}/.test(String(one))))
    return found('.value', 'any.invalid', 'value must have three digits after the second at most');
  return undefined;
}

/** None where one of the lists takes the condition; the lists after it are not read. */
function faultsOfEvery(given: Given, lists: (Fields | undefined)[]): Found[] {
  const faults: Found[] = [];
  for (const fields of lists) {
    const fault = readFault(given, fields);
    if (!fault) return [];
    faults.push(fault);
  }
  return faults;
}

const noField = (field: string) => `A ${splitName(field).root} has no field ${splitName(field).rest} that conditions compare`;

function hoursFault(field: string, value: unknown, context: ConditionContext): Found | undefined {
  if (value !== undefined && typeof value !== 'boolean')
    return found('.value', 'any.invalid', 'value must be true or false; true where there is none');
  if (field === now) return undefined;
  const fault = rootFault(field, context);
  if (fault) return fault;
  const types = context.types?.map(recordFieldsOf) ?? [];
  const named = [undefined, ...types].map((fields) => namedField(field, fields)).find((one) => one);
  // Of a record of no type it may be any field.
  if (!named && splitName(field).root === 'record' && types.length === 0) return undefined;
  if (named && (named.field.type === 'time' || named.field.type === 'json' || named.field.typed?.type === 'time'))
    return undefined;
  return found('.field', 'any.only', `field must be ${now}, or a time`);
}

const shown: Partial<Record<Root, readonly string[]>> = { ...subjectFields, record: ['metadata', 'deleted_at'] };

/** `changed` takes what the event names; the other two what the history has, by the list's reading of its values. */
function changeFault(field: string, operator: string, value: unknown, context: ConditionContext): Found | undefined {
  const { root, rest } = splitName(field) as { root: Root; rest: string };
  const told = toldIn(root, context);
  if (told === null) return found('.operator', 'any.only', `No event here tells what changed of a ${root}`);
  const isBare = operator === 'changed';
  if (isBare && value !== undefined) return found('.value', 'any.invalid', 'changed takes no value');
  if (!isBare && value === undefined) return found('.value', 'any.required', `${operator} takes a value; null: none`);
  if (!told.isWhole && (!isBare || rest.startsWith('custom_fields.')))
    return found('.operator', 'any.only', `Of a ${root} the event tells only that a field changed, its custom fields as one`);
  if (isBare && (shown[root]?.includes(rest) || rest === 'custom_fields')) return undefined;
  const everyFields = [undefined, ...(context.types?.map(recordFieldsOf) ?? [])];
  const named = everyFields.map((fields) => namedField(field, fields)).find((one) => one);
  if (!named) return isOfSomeRecord(field, context) ? undefined : found('.field', 'any.only', noField(field));
  if (!isToldByName(named)) return found('.field', 'any.only', `What changed of ${field} is told as another field`);
  if (isBare || value === null) return undefined;
  const asked = { field, operator: Array.isArray(value) ? 'in' : 'eq', value };
  const faults = faultsOfEvery(asked, everyFields);
  return faults.find(({ at }) => at === '.value') ?? faults[0];
}

/** A declared field, where no type is known. */
function isOfSomeRecord(field: string, { types = [] }: ConditionContext): boolean {
  const { root, rest } = splitName(field);
  return root === 'record' && types.length === 0 && fieldOfRecord.test(rest);
}

/** Links and tags are lists, of which some came and some went. */
const isToldByName = ({ field }: Named) => field.type !== 'link' && field.type !== 'name';

/** null: no event tells of it. Where the event is not known: what one of them could tell. */
function toldIn(root: Root, { event }: ConditionContext): { isWhole: boolean } | null {
  const types = event === undefined ? eventTypes : [event ?? ''];
  const told = types.map(changeToldBy).filter((one) => one?.root === root);
  return told.length === 0 ? null : { isWhole: told.some((one) => one?.isWhole) };
}
