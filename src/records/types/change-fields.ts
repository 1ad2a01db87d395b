import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { changedType, hasRecords, mustChange } from './change-types.ts';
import { type Field, isLeaving, type ObjectType } from './definition.ts';
import { removeEarlierUnique } from './earlier-unique.ts';
import { changeField, storeField } from './field-rows.ts';
import { assertRules, displayTypes, faultsOfField, faultsOfFields, isWider, withOptions } from './field-rules.ts';
import { type GivenField, givenField } from './given-field.ts';
import { dropFieldJob, indexFieldJob, replaceOptionsJob, typeLane } from './jobs.ts';
import { replacementsOf, stillLeaving } from './leaving-options.ts';
import { fieldNamed, loadType } from './object-type.ts';
import { fewHolders, type Holder, locksOf, replaceIn } from './replace-options.ts';
import { ObjectField } from './type.entity.ts';
import { assertOptionsUnused } from './used-options.ts';

/** `replace_with`: by an option that leaves, what its records get; null: nothing. */
export type GivenChange = GivenField & { replace_with?: Record<string, string | null> };

export type FieldChange = { type: ObjectType; field: Field; operationId?: string };

const leaving = statement((select, { typeId, name }: { typeId: string; name: string }) =>
  select(ObjectField).select('id').where('type_id', '=', typeId).where('name', '=', name).where('removed_at', 'is not', null),
);

/** There at once. Throws 409 for a name that is taken, or whose old values are still being removed. */
export async function addField(tx: OwnTx, kind: string, given: GivenField & { name: string }): Promise<FieldChange> {
  const type = await mustChange(tx, kind);
  if (fieldNamed(type, given.name)) throw new AppError('conflict', `${type.label} has a field ${given.name} already`);
  if ((await leaving(tx, { typeId: type.id, name: given.name })).length > 0)
    throw new AppError('conflict', `The values of an earlier field ${given.name} are still being removed; try again`, {
      retryAfterSeconds: 5,
    });
  const position = Math.max(-1, ...type.fields.map((one) => one.position)) + 1;
  const made = { ...givenField(given, undefined), name: given.name, position };
  // No record has a value of it yet.
  const field: Field = { ...made, indexState: made.isIndexed ? 'ready' : null };
  assertRules([...faultsOfField(field), ...faultsOfFields([...type.fields, field])]);
  await assertRequirable(tx, type, field);
  await storeField(tx, type.id, field);
  return { type: await changedType(tx, type), field };
}

async function assertRequirable(own: Own, type: ObjectType, { isRequired, defaultValue }: Field) {
  if (!isRequired || defaultValue !== null || !(await hasRecords(own, type.id))) return;
  throw invalidField('required', `${type.label} has records: a required field needs a default`, 'any.invalid');
}

/**
 * A look for `patchField`, which needs the locks of the records that have an option that leaves. Of many it takes none: an operation changes them.
 */
export const patchLook = (
  own: Own,
  kind: string,
  name: string,
  { options, replace_with: given }: GivenChange,
): Look<Holder[]> => ({
  async look() {
    if (!options || !given) return [];
    const type = await loadType(own, kind);
    const field = type && fieldNamed(type, name);
    if (!type || !field) return [];
    const kept = new Set(options.map(({ value }) => value));
    const values = Object.keys(given).filter((value) => !kept.has(value));
    return (await fewHolders(own, type, field, values)) ?? [];
  },
  locks: (holders) => [typeLane(own.organizationId, kind), ...locksOf(holders)],
});

/**
 * Bounds may become narrower: they hold for what is written from then on. Options that leave are replaced at once in few records, else by an
 * operation, by `actor`. Throws 404, 409 and 422.
 */
export async function patchField(tx: OwnTx, kind: string, name: string, given: GivenChange, actor: string): Promise<FieldChange> {
  const type = await mustChange(tx, kind);
  const before = fieldNamed(type, name);
  if (!before) throw notFound('Field');
  const after = givenField(given, before);
  if (!isWider(before.type, after.type))
    throw invalidField('type', `type can only become wider: not ${after.type} after ${before.type}`, 'any.only');
  const field = { ...after, ...(withOptions.includes(after.type) ? {} : { options: [] }) };
  const stayed = { ...field, options: field.options.filter((option) => !isLeaving(option)) };
  const replacements = replacementsOf(given.replace_with, before, stayed);
  const others = type.fields.filter((one) => one.name !== name);
  assertRules([...faultsOfField(field), ...faultsOfFields([...others, field], type.fields)]);
  if (name === type.displayField && !displayTypes.includes(field.type))
    throw invalidField('type', `${name} names the records: it must be one of ${displayTypes.join(', ')}`, 'any.only');
  if (field.isRequired && !before.isRequired) await assertRequirable(tx, type, field);
  const stillGoing = stillLeaving(before, stayed, replacements);
  const goes = new Set(stillGoing.map(({ value }) => value));
  await assertOptionsUnused(tx, type, before, stayed, new Set([...goes, ...replacements.keys()]));
  const replaced = new Map([...replacements].filter(([value]) => !goes.has(value)));
  const holders = await fewHolders(tx, type, before, [...replaced.keys()]);
  const marked = holders ? [] : before.options.filter(({ value }) => replaced.has(value));
  // Those that leave are the last.
  const options = [...stayed.options, ...stillGoing, ...marked.map((one) => ({ ...one, replaced_by: replaced.get(one.value)! }))];
  const change = await storeChange(tx, type, before, { ...field, options }, !holders);
  if (holders) {
    if (holders.length > 0) await replaceIn(tx, change.type, { field: change.field, replacements: replaced }, holders, actor);
    return change;
  }
  const lane = typeLane(tx.organizationId, kind);
  return { ...change, operationId: tx.enqueue(replaceOptionsJob, { field_id: before.id, actor }, { lane }) };
}

async function storeChange(tx: OwnTx, type: ObjectType, before: Field, after: Field, isReplaced: boolean): Promise<FieldChange> {
  const isOther = after.isIndexed && (before.indexState === null || after.isUnique !== before.isUnique);
  const isBuilt = isOther || (after.isIndexed && (await hasLostWalk(tx, before)));
  const isWalked = isBuilt || !after.isIndexed !== !before.isIndexed || hasOtherTexts(type, before, after);
  const needsWalk = isWalked && (await hasRecords(tx, type.id));
  if (isOther && after.isUnique && before.indexState !== 'ready') await removeEarlierUnique(tx, before);
  const indexState = !after.isIndexed ? null : !isBuilt ? before.indexState : needsWalk ? 'building' : 'ready';
  const field: Field = { ...after, indexState };
  await changeField(tx, field, { ...(needsWalk && { walked_to: null }), ...(isReplaced && { replaced_to: null }) });
  const lane = typeLane(tx.organizationId, type.kind);
  const operationId = needsWalk ? tx.enqueue(indexFieldJob, { field_id: field.id }, { lane }) : undefined;
  return { type: await changedType(tx, type), field, operationId };
}

const walks = statement((select, { id }: { id: string }) =>
  select(Job)
    .select('id')
    .where('subject_id', '=', id)
    .where('name', '=', indexFieldJob.name)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .limit(1),
);

/** Failed for good: nothing builds the index any more, until a change begins it anew. Under the type's lock, as is the end of a walk. */
const hasLostWalk = async (tx: OwnTx, { id, indexState }: Field) =>
  indexState === 'building' && (await walks(tx, { id })).length === 0;

/** Of the records: what a search reads, and their names. */
const hasOtherTexts = ({ displayField }: ObjectType, before: Field, after: Field) =>
  before.isSearchable !== after.isSearchable ||
  ((after.isSearchable || after.name === displayField) && hasOtherLabels(before, after));

/** Of options that records may have: one that is gone is in none. */
const hasOtherLabels = (before: Field, after: Field) =>
  before.options.some(({ value, label }) => {
    const kept = after.options.find((option) => option.value === value);
    return kept ? kept.label !== label : !withOptions.includes(after.type) && label !== value;
  });

/** Its values are gone for readers at once; an operation removes them. Throws 404, and 409 for the display field. */
export async function removeField(tx: OwnTx, kind: string, name: string): Promise<string> {
  const type = await mustChange(tx, kind);
  const field = fieldNamed(type, name);
  if (!field) throw notFound('Field');
  if (name === type.displayField)
    throw new AppError('conflict', `${name} names the records: choose another display_field before`);
  // SQL: by the database's clock.
  await tx.sql(
    `update object_fields
        set removed_at = clock_timestamp(), index_state = null, walked_to = null
      where organization_id = $1 and id = $2`,
    [field.id],
  );
  await changedType(tx, type);
  return tx.enqueue(dropFieldJob, { field_id: field.id }, { lane: typeLane(tx.organizationId, kind) });
}
