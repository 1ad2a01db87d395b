import { isDeepStrictEqual } from 'node:util';
import type { HistoryChanges } from '../../history/history.entity.ts';
import { notFound } from '../../platform/errors.ts';
import { recordCreated, recordDeleted, recordUpdated } from '../../platform/events/crm-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { assertRevision } from '../../platform/revision.ts';
import type { Holders } from '../holders.ts';
import { newRecord, type RecordGiven, rowOfNew } from '../new-record.ts';
import { patchedValues } from '../patched.ts';
import { type RecordRow, recordLock } from '../record-row.ts';
import { changesOf, type RecordValues } from '../record-tx.ts';
import type { ObjectType } from '../types/definition.ts';
import { displayNameOf, type IndexChanges, indexChanges, searchTextOf, takenBy, uniqueValues } from '../types/indexed-values.ts';
import type { Checked, Values } from '../types/values.ts';
import { valueLock } from '../upsert.ts';
import type { Read } from './operations.ts';

type Change = { revision: number; changes: HistoryChanges; event: typeof recordUpdated };

/** A record that the batch makes or changes, as it is after the operations so far. */
export type Touched = {
  row: RecordRow;
  isNew: boolean;
  /** As it was indexed before the batch. */
  indexed: Values | undefined;
  /** Those that differ from what is stored. */
  columns: Partial<RecordValues> & { display_name?: string; search_text?: string };
  changes: Change[];
  /** What each source gave. */
  sources: Map<string, Set<string>>;
};

export type Done = { status: 'created' | 'updated' | 'unchanged' | 'deleted'; id: string };

/** A record that was found. */
export const touchedOf = (row: RecordRow): Touched => ({
  row,
  isNew: false,
  indexed: row.fields,
  columns: {},
  changes: [],
  sources: new Map(),
});

/** `refusals`: of records that a relation keeps from going. */
export type World = {
  tx: OwnTx;
  type: ObjectType;
  records: Map<string, Touched>;
  holders: Holders;
  refusals: Map<string, Error>;
};

/** In memory: what it would write is noted. What throws has noted nothing. */
export function apply(world: World, one: Read): Done {
  if (one.operation === 'failed') throw one.error;
  if (one.operation === 'create') return create(world, one.given, one.asNew);
  if (one.operation === 'update') return patch(world, one.id, one.given, one.asPatch, one.revision);
  if (one.operation === 'delete') return remove(world, one.id, one.revision);
  const { by, given } = one;
  world.tx.assertLocked(valueLock(by));
  const holder = world.holders.of(by.row);
  if (holder !== undefined) return patch(world, holder, given, one.asPatch);
  return create(world, { ...given, fields: { [by.field.name]: by.value, ...given.fields } }, one.asNew);
}

function create({ tx, type, records, holders }: World, given: RecordGiven, checked: Checked): Done {
  const made = newRecord(type, given, checked);
  const { id, display_name, search_text, fields, custom_fields, metadata, changes } = made;
  claim(holders, type, id, { removed: [], replaced: [], written: made.rows });
  tx.isNew('record', id);
  const touched: Touched = {
    row: rowOfNew(made, { created_at: '', updated_at: '' }),
    isNew: true,
    indexed: undefined,
    columns: { display_name, search_text, fields, custom_fields, metadata },
    changes: [{ revision: 1, changes, event: recordCreated }],
    sources: new Map(),
  };
  records.set(id, touched);
  note(touched, given);
  return { status: 'created', id };
}

function held({ tx, records }: World, id: string, revision?: number): Touched {
  tx.assertLocked(recordLock(id));
  const touched = records.get(id);
  if (!touched || touched.row.deleted_at !== null) throw notFound('Record');
  assertRevision('record', touched.row.revision, revision);
  return touched;
}

function patch(world: World, id: string, given: RecordGiven, checked?: Checked, revision?: number): Done {
  const { type, holders } = world;
  const touched = held(world, id, revision);
  const { row } = touched;
  const columns = differing(row, patchedValues(row, given, checked));
  const changes = changesOf(row, columns);
  const isChanged = Object.keys(changes).length > 0;
  if (isChanged) {
    if (columns.fields) claim(holders, type, id, indexChanges(type, row.fields, columns.fields));
    change(world, touched, columns, { changes, event: recordUpdated });
  }
  note(touched, given);
  return { status: isChanged ? 'updated' : 'unchanged', id };
}

const differing = (row: RecordRow, values: Partial<RecordValues>): Partial<RecordValues> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(row[name as keyof RecordValues], value)),
  );

function remove(world: World, id: string, revision?: number): Done {
  const touched = held(world, id, revision);
  const refusal = world.refusals.get(id);
  if (refusal) throw refusal;
  const { row } = touched;
  const columns = { deleted_at: new Date().toISOString() };
  for (const one of uniqueValues(world.type, row.fields)) world.holders.take(one, id);
  change(world, touched, columns, { changes: changesOf(row, columns), event: recordDeleted });
  return { status: 'deleted', id };
}

function change({ type }: World, touched: Touched, columns: Partial<RecordValues>, told: Omit<Change, 'revision'>) {
  const { fields } = columns;
  const named = fields ? { display_name: displayNameOf(type, fields), search_text: searchTextOf(type, fields) } : {};
  const revision = touched.row.revision + 1;
  Object.assign(touched.columns, columns, named);
  touched.row = { ...touched.row, ...columns, ...(fields && { display_name: named.display_name! }), revision };
  touched.changes.push({ ...told, revision });
}

/** Throws the 409 of the first value that another record has. */
function claim(holders: Holders, type: ObjectType, id: string, { removed, replaced, written }: IndexChanges) {
  const unique = written.filter((row) => row.is_unique);
  const taken = unique.find((row) => ![undefined, id].includes(holders.of(row)));
  if (taken) throw takenBy(type, written, taken);
  for (const row of [...removed, ...replaced].filter((one) => one.is_unique)) holders.take(row, id);
  for (const row of unique) holders.give(row, id);
}

function note({ sources }: Touched, { enrichment, fields = {}, custom_fields = {} }: RecordGiven) {
  if (!enrichment) return;
  const names = [...Object.keys(fields), ...Object.keys(custom_fields).map((key) => `custom_fields.${key}`)];
  sources.set(enrichment.source, new Set([...(sources.get(enrichment.source) ?? []), ...names]));
}
