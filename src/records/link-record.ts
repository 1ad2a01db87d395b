import { notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { holdOther, link, lockOfOther, type OtherEnd, type SeenFromThere, unlink } from './links.ts';
import { getRecord, type RecordRow, recordLock } from './record-row.ts';
import { changeRecord, type RecordTx } from './record-tx.ts';
import type { ObjectType, Relation } from './types/definition.ts';
import { isBuiltIn } from './types/names.ts';
import { typeForWrite } from './types/object-type.ts';

/** Throws 404. */
export function relationNamed(relations: Relation[], name: string): Relation {
  const found = relations.find((relation) => relation.name === name);
  if (!found) throw notFound('Relation');
  return found;
}

export const linkLocks = (recordId: string, end: OtherEnd): string[] => [recordLock(recordId), ...lockOfOther(end)];

type Asked = { id: string; actor: string };

/** A change of both ends where both are records. Linked already: nothing changes. Throws 404, and 409 where there is no room. */
export async function linkRecord(tx: OwnTx, type: ObjectType, asked: Asked, end: OtherEnd): Promise<RecordRow> {
  await getRecord(tx, { typeId: type.id, id: asked.id });
  await holdOther(tx, end);
  return changeBoth(tx, type, asked, end, (record) => link(record, end));
}

/** Throws 404 where there is no link. */
export const unlinkRecord = (tx: OwnTx, type: ObjectType, asked: Asked, end: OtherEnd): Promise<RecordRow> =>
  changeBoth(tx, type, asked, end, (record) => unlink(record, end));

async function changeBoth(
  tx: OwnTx,
  type: ObjectType,
  { id, actor }: Asked,
  { relation, otherId }: OtherEnd,
  work: (record: RecordTx) => Promise<SeenFromThere | undefined>,
): Promise<RecordRow> {
  let seen: SeenFromThere | undefined;
  const { row } = await changeRecord(tx, type, { id, actor }, async (record) => {
    seen = await work(record);
    if (seen && otherId === id) record.changed(relation.inverseName, seen);
  });
  if (!seen || isBuiltIn(relation.kind) || otherId === id) return row;
  const there = seen;
  const otherType = relation.kind === type.kind ? type : await typeForWrite(tx, relation.kind);
  await changeRecord(tx, otherType, { id: otherId, actor }, (other) => other.changed(relation.inverseName, there));
  return row;
}
