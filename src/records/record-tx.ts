import { isDeepStrictEqual } from 'node:util';
import type { HistoryChanges } from '../history/history.entity.ts';
import { fieldsIn, writeHistory } from '../history/history.ts';
import { now } from '../platform/database/columns.ts';
import { recordUpdated } from '../platform/events/crm-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { assertRevision } from '../platform/revision.ts';
import { CrmRecord } from './record.entity.ts';
import { findInBin, findRecord, holdRecord, type RecordRow, recordLock } from './record-row.ts';
import type { ObjectType } from './types/definition.ts';
import { displayNameOf, searchTextOf, writeIndexed } from './types/indexed-values.ts';
import type { Values } from './types/values.ts';

/** What a write may change of a record. */
export type RecordValues = { fields: Values; custom_fields: Values; metadata: Values; deleted_at: string | null };

/** A transaction that holds a record's lock. Only this file creates one, so the type proves the lock. */
export type RecordTx = OwnTx & {
  readonly type: ObjectType;
  readonly actor: string;
  /** As it was at the beginning. */
  readonly record: RecordRow;
  /** Written once, at the end; what the record has already is no change. */
  set(values: Partial<RecordValues>): void;
  /** What is no column of the record: its links. */
  changed(field: string, change: { from: unknown; to: unknown }): void;
  /** In place of `record.updated`; null: nobody is told. */
  tellsBy(event: typeof recordUpdated | null): void;
};

export type Asked = {
  id: string;
  actor: string;
  /** The revision that the caller has seen. */
  revision?: number;
  isInBin?: boolean;
};

export type Changed = { row: RecordRow; isChanged: boolean };

/**
 * One change of a record: its columns with its typed index, one revision, one row of history and one event; none of them when nothing
 * changed. Needs the record's lock, and then the type as `typeForWrite` gives it. Throws 404; 409 for another revision or a taken value.
 */
export async function changeRecord(
  tx: OwnTx,
  type: ObjectType,
  { id, actor, revision, isInBin = false }: Asked,
  work: (record: RecordTx) => Promise<void> | void,
): Promise<Changed> {
  tx.assertLocked(recordLock(id));
  const key = { typeId: type.id, id };
  const record = await holdRecord(tx, key, isInBin);
  assertRevision('record', record.revision, revision);
  const values: Partial<RecordValues> = {};
  const links: HistoryChanges = {};
  let event: typeof recordUpdated | null = recordUpdated;
  await work(
    Object.assign(Object.create(tx) as OwnTx, {
      type,
      actor,
      record,
      set: (given: Partial<RecordValues>) => void Object.assign(values, given),
      changed: (field: string, change: { from: unknown; to: unknown }) => void Object.assign(links, { [field]: change }),
      tellsBy(other: typeof recordUpdated | null) {
        event = other;
      },
    }),
  );
  const columns = Object.fromEntries(
    Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(record[name as keyof RecordValues], value)),
  ) as Partial<RecordValues>;
  const changes = { ...changesOf(record, columns), ...links };
  if (Object.keys(changes).length === 0) return { row: record, isChanged: false };
  await tx.update(CrmRecord, { id }, { ...columns, ...derived(type, columns), revision: record.revision + 1, updated_at: now() });
  const after = { ...record, ...columns };
  if (columns.fields || columns.deleted_at !== undefined) await writeIndexed(tx, type, id, indexedOf(record), indexedOf(after));
  await tell(tx, type, { id, actor, revision: record.revision + 1 }, changes, event);
  const row = (await (after.deleted_at === null ? findRecord : findInBin)(tx, key))!;
  return { row, isChanged: true };
}

/** One in the bin reserves nothing. */
const indexedOf = ({ fields, deleted_at }: Pick<RecordRow, 'fields' | 'deleted_at'>) =>
  deleted_at === null ? fields : undefined;

const derived = (type: ObjectType, { fields }: { fields?: Values }) =>
  fields ? { display_name: displayNameOf(type, fields), search_text: searchTextOf(type, fields) } : {};

/** The row of history, and the event that tells of it. Needs the record's lock. */
export async function tell(
  tx: OwnTx,
  { kind }: ObjectType,
  { id, actor, revision }: { id: string; actor: string; revision: number },
  changes: HistoryChanges,
  event: typeof recordUpdated | null,
): Promise<void> {
  const data = { record_id: id, kind, organization_id: tx.organizationId, changed: fieldsIn(changes) };
  const eventId = event && tx.emit(event, data);
  await writeHistory(tx, { object_kind: 'record', object_id: id, revision, event_id: eventId, actor, changes });
}

/** In the order of their names: a row that was just read has its values in another order than one of a batch that was written before. */
const valuesOf = (prefix: string, before: Values, after: Values): HistoryChanges => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(changed.map((name) => [`${prefix}${name}`, { from: before[name] ?? null, to: after[name] ?? null }]));
};

/** Declared values by their names, like every other field of the record; custom fields one by one. */
export function changesOf(before: Pick<RecordRow, keyof RecordValues>, after: Partial<RecordValues>): HistoryChanges {
  const { fields, custom_fields, ...others } = after;
  return {
    ...(fields && valuesOf('', before.fields, fields)),
    ...(custom_fields && valuesOf('custom_fields.', before.custom_fields, custom_fields)),
    ...valuesOf('', before, { ...before, ...others }),
  };
}
