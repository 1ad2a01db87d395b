import { recordCreated, recordDeleted } from '../platform/events/crm-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { noteEnrichment } from './enrichment.ts';
import { assertMayGo } from './links.ts';
import { newRecord, type RecordGiven } from './new-record.ts';
import { patchedValues } from './patched.ts';
import { findRecord, getRecord, type RecordRow, recordColumns } from './record-row.ts';
import { type Asked, type Changed, changeRecord, type RecordTx, type RecordValues, tell } from './record-tx.ts';
import type { ObjectType } from './types/definition.ts';
import { writeIndexed } from './types/indexed-values.ts';
import { checkValues } from './types/values.ts';

/** SQL: it returns the fields of the wire, times included. */
const insert = `
  insert into records as k (organization_id, id, type_id, display_name, search_text, fields, custom_fields, metadata)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  returning ${recordColumns}`;

/** Throws 422 for its values, 409 for a unique one that is taken. */
export async function createRecord(tx: OwnTx, type: ObjectType, actor: string, given: RecordGiven): Promise<RecordRow> {
  const made = newRecord(type, given, await checkValues(tx, type, given.fields ?? {}, { isNew: true }));
  const { id, fields, changes } = made;
  tx.isNew('record', id);
  const columns = [made.display_name, made.search_text, fields, made.custom_fields, made.metadata];
  const [row] = await tx.sql<RecordRow>(insert, [id, type.id, ...columns]);
  await writeIndexed(tx, type, id, undefined, fields);
  await noteEnrichment(tx, id, given);
  await tell(tx, type, { id, actor, revision: 1 }, changes, recordCreated);
  return given.enrichment ? getRecord(tx, { typeId: type.id, id }) : row!;
}

export type Patch = RecordGiven & { revision?: number };

/** Throws 404; 409 for another revision or a unique value that is taken; 422 for its values. Needs the record's lock. */
export const patchRecord = async (
  tx: OwnTx,
  type: ObjectType,
  { revision, ...given }: Patch,
  asked: Omit<Asked, 'revision'>,
): Promise<Changed> => {
  const changed = await changeRecord(tx, type, { ...asked, revision }, async (record) => {
    record.set(await valuesAfter(record, given));
    await noteEnrichment(record, record.record.id, given);
  });
  // Also where it says what the record has already, which is no change.
  if (!given.enrichment || changed.isChanged) return changed;
  return { ...changed, row: await getRecord(tx, { typeId: type.id, id: asked.id }) };
};

async function valuesAfter(tx: RecordTx, given: RecordGiven): Promise<Partial<RecordValues>> {
  const checked = given.fields && (await checkValues(tx, tx.type, given.fields, { isNew: false }));
  return patchedValues(tx.record, given, checked);
}

/** Into the bin. Throws 404; 409 while a relation that restricts it has a link. Needs the record's lock. */
export const deleteRecord = (tx: OwnTx, type: ObjectType, asked: Asked): Promise<Changed> =>
  changeRecord(tx, type, asked, async (record) => {
    await assertMayGo(record);
    record.set({ deleted_at: new Date().toISOString() });
    record.tellsBy(recordDeleted);
  });

type AskedBack = Pick<Asked, 'id' | 'actor'>;

/** Out of the bin; one that is not in it stays as it is. Throws 404; 409 when a unique value is taken meanwhile. Needs the record's lock. */
export async function restoreRecord(tx: OwnTx, type: ObjectType, asked: AskedBack): Promise<Changed> {
  const live = await findRecord(tx, { typeId: type.id, id: asked.id });
  if (live) return { row: live, isChanged: false };
  return changeRecord(tx, type, { ...asked, isInBin: true }, (record) => {
    record.set({ deleted_at: null });
    record.tellsBy(recordCreated);
  });
}
