import { sql } from 'kysely';
import { Membership } from '../../organizations/organization.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, type ErrorDetail } from '../../platform/errors.ts';
import type { Field, ObjectType } from './definition.ts';
import { isFault, isNothing, readerOf } from './value-readers.ts';

export type Values = Record<string, unknown>;
/** `path`: below `fields`, such as `amount` or `tags[2]`. `userId`: who is no member. */
export type ValueFault = { path: string; code: string; message: string; userId?: string };
export type Checked = { values: Values; removed: string[]; faults: ValueFault[] };

/** Of a record's `fields` and `custom_fields` together, as JSON. */
export const maxRecordBytes = 65_536;

/**
 * The given values as they are stored; `removed`: fields that were given as nothing (null, an empty text, an empty list), which a record then
 * does not have. Defaults are added to a new record only. Members are not looked up: `checkValues` does that too.
 */
export function readValues(type: ObjectType, given: Values, { isNew }: { isNew: boolean }): Checked {
  const checked: Checked = { values: {}, removed: [], faults: [] };
  const known = new Map(type.fields.map((field) => [field.name, field]));
  for (const name of Object.keys(given)) {
    const field = known.get(name);
    if (field) readOne(checked, field, given[name]);
    else checked.faults.push({ path: name, code: 'object.unknown', message: `${name} is no field of ${type.label}` });
  }
  if (isNew) for (const field of type.fields) if (!Object.hasOwn(given, field.name)) addMissing(checked, field);
  return checked;
}

function readOne(checked: Checked, field: Field, value: unknown) {
  const { name } = field;
  if (isNothing(value)) {
    if (field.isRequired) checked.faults.push({ path: name, code: 'any.required', message: `${name} is required` });
    else checked.removed.push(name);
    return;
  }
  const read = readerOf(field)(value);
  if (isFault(read))
    checked.faults.push({ path: `${name}${read.at ?? ''}`, code: read.code, message: `${name}${read.at ?? ''} ${read.message}` });
  else checked.values[name] = read.value;
}

function addMissing(checked: Checked, { name, defaultValue, isRequired }: Field) {
  if (defaultValue !== null) checked.values[name] = defaultValue;
  else if (isRequired) checked.faults.push({ path: name, code: 'any.required', message: `${name} is required` });
}

/** Of a new record: what its type adds, and what it lacks. */
export function completed(type: ObjectType, { values, faults }: Checked): Checked {
  const checked: Checked = { values: { ...values }, removed: [], faults: [...faults] };
  for (const field of type.fields) if (!Object.hasOwn(values, field.name)) addMissing(checked, field);
  return checked;
}

const membersById = statement((select, { ids }: { ids: string[] }) =>
  select(Membership)
    .select('user_id as id')
    .where('user_id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('user_id')
    .forKeyShare(),
);

/** As readValues; a user must be a member, who stays one until the transaction ends. */
export async function checkValues(own: Own, type: ObjectType, given: Values, options: { isNew: boolean }): Promise<Checked> {
  const checked = readValues(type, given, options);
  return withMembers(type, checked, await membersOf(own, usersIn(type, checked.values)));
}

const userFields = (type: ObjectType, values: Values) =>
  type.fields.filter(({ type: kind, name }) => kind === 'user' && Object.hasOwn(values, name));

/** Whom these values name, each once. */
export const usersIn = (type: ObjectType, values: Values): string[] => [
  ...new Set(userFields(type, values).map(({ name }) => values[name] as string)),
];

/** With a fault for each user who is no member. */
export function withMembers(type: ObjectType, checked: Checked, members: ReadonlySet<string>): Checked {
  const faults = userFields(type, checked.values)
    .filter(({ name }) => !members.has(checked.values[name] as string))
    .map(({ name }) => ({
      path: name,
      code: 'any.only',
      message: `${name} must be a member of the organization`,
      userId: checked.values[name] as string,
    }));
  return faults.length === 0 ? checked : { ...checked, faults: [...checked.faults, ...faults] };
}

/** Of a change of a record with the fields `before`: a user whom it names already may have left since, which is no change. */
export const faultsAfter = (before: Values, { faults }: Checked): ValueFault[] =>
  faults.filter(({ path, userId }) => userId === undefined || before[path] !== userId);

/** Held until the transaction ends. */
export const membersOf = async (own: Own, ids: string[]): Promise<Set<string>> =>
  new Set(ids.length === 0 ? [] : (await membersById(own, { ids: [...new Set(ids)] })).map(({ id }) => id));

/** The record after a change. `values` win; what was removed goes. */
export function mergedValues(before: Values, { values, removed }: Checked): Values {
  const gone = new Set(removed);
  const kept = Object.entries(before).filter(([name]) => !gone.has(name));
  return { ...Object.fromEntries(kept), ...values };
}

/** Throws one 422 with all faults, each at `<at>.<path>`. */
export function assertNoFaults(faults: ValueFault[], at = 'fields'): void {
  if (faults.length === 0) return;
  const details: ErrorDetail[] = faults.map(({ path, code, message }) => ({
    field: `${at}.${path}`,
    location: 'body',
    code,
    message: `${at}.${message}`,
  }));
  throw new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} fields are not valid`, {
    details,
  });
}

/** Of a whole record. Throws 422. */
export function assertSize(fields: Values, customFields: Values = {}): void {
  const bytes = Buffer.byteLength(JSON.stringify(fields)) + Buffer.byteLength(JSON.stringify(customFields));
  if (bytes <= maxRecordBytes) return;
  const message = `The record's fields must not be larger than ${maxRecordBytes} bytes as JSON`;
  throw new AppError('invalid_request', message, {
    details: [{ field: 'fields', location: 'body', code: 'fields.size', message }],
  });
}
