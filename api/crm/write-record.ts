import type { Caller } from '../../src/organizations/caller.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { type RecordRow, recordLock } from '../../src/records/record-row.ts';
import { noRelationships } from '../../src/records/summary.ts';
import type { ObjectType } from '../../src/records/types/definition.ts';
import { typeForWrite } from '../../src/records/types/object-type.ts';
import type { Input, Reply } from '../http/endpoint.ts';
import { readerOfType } from './kind-reader.ts';
import { toRecordView } from './record-schemas.ts';

type Write = Input<unknown, unknown>['write'];

/** One write to a record, under its lock. Throws 422 for an unknown kind and for one with its own table. */
export function changeOneRecord(
  write: Write,
  { objectKind, recordID }: { objectKind: string; recordID: string },
  work: (tx: OwnTx, type: ObjectType) => Promise<Reply>,
): Promise<Reply> {
  assertNotBuiltIn(objectKind);
  return write({ locks: [recordLock(recordID)] }, async ({ own: tx }) => work(tx, await typeForWrite(tx, objectKind)));
}

/** As the reply of a write shows it, with its relations. */
export async function shownRecord(tx: OwnTx, caller: Caller, type: ObjectType, row: RecordRow): Promise<object> {
  const [shown] = await shownRecords(tx, caller, type, [row]);
  return shown!;
}

export const shownRecords = (tx: OwnTx, caller: Caller, type: ObjectType, rows: RecordRow[]): Promise<object[]> =>
  readerOfType(tx, caller, type).shown(rows);

/** Nothing is linked to it yet. */
export const shownNewRecord = (type: ObjectType, row: RecordRow): object => ({
  ...toRecordView(type, row),
  relationships_summary: noRelationships(type.relations),
});
