import { fieldsIn } from '../history/history.ts';
import type { Own } from '../platform/database/own.ts';
import { recordCreated } from '../platform/events/crm-events.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Look } from '../platform/ledger/transact.ts';
import { Afterwards, type OwnTx } from '../platform/ledger/tx.ts';
import { type NewRecord, newRecord, type RecordGiven, rowOfNew } from './new-record.ts';
import type { RecordRow } from './record-row.ts';
import type { ObjectType } from './types/definition.ts';
import { indexedText, takenError } from './types/indexed-values.ts';
import { knownTypeHeard } from './types/known-type.ts';
import { typeForWrite, unknownKind } from './types/object-type.ts';
import { checkValues, usersIn } from './types/values.ts';
import { createRecord } from './write.ts';

export type SeenForCreation = { type: ObjectType; isHeard: boolean; made: NewRecord; users: string[]; isOneTrip: boolean };

export type CreatedRecord = { type: ObjectType; row: RecordRow };

/**
 * One statement writes the record with its typed index, history and event. It asserts what the look has seen: the definition, and the members
 * that the values name. Throws 422 for an unknown kind and for its values, 409 for a unique value that is taken.
 */
export const creationOf = (own: Own, kind: string, given: RecordGiven): Look<SeenForCreation> => ({
  look: () => lookAround(own, kind, given),
  locks: () => [],
  isOneTrip: ({ isOneTrip }) => isOneTrip,
  refusal: (error, { type, made }) => takenError(type, made.rows, error),
});

async function lookAround(own: Own, kind: string, given: RecordGiven): Promise<SeenForCreation> {
  const { type, isHeard } = await knownTypeHeard(own, kind);
  if (!type) throw unknownKind();
  const checked = await checkValues(own, type, given.fields ?? {}, { isNew: true });
  const made = newRecord(type, given, checked);
  // The standard type may have to be stored before; what sources gave is a second row that the reply shows.
  const isOneTrip = type.createdAt !== null && !given.enrichment;
  return { type, isHeard, made, users: usersIn(type, checked.values), isOneTrip };
}

/**
 * SQL: a part of the ledger's own statement, which then is the whole transaction. A change of the type takes its row `for update` and raises the
 * version: the lock that waited for it finds another one.
 */
const insertRecord: PartText = (
  ...[organization, id, type, version, users, name, searchText, fields, customFields, metadata, ...more]
) => {
  const [values, event, actor, changes] = more;
  return `
  held as materialized (
    select t.id
      from object_types t
     where t.organization_id = ${organization}::uuid and t.id = ${type}::uuid and t.version = ${version}::int
       and t.deleted_at is null
       for key share),
  members as materialized (
    select m.user_id
      from memberships m
     where m.organization_id = ${organization}::uuid and m.user_id = any(${users}::uuid[])
       for key share),
  made as (
    insert into records (organization_id, id, type_id, display_name, search_text, fields, custom_fields, metadata)
    values (${organization}::uuid, ${id}::uuid, ${type}::uuid, ${name}, ${searchText}, ${fields}::jsonb, ${customFields}::jsonb,
            ${metadata}::jsonb)
    returning created_at, updated_at),
  made_values as (
    insert into record_values (organization_id, record_id, field_id, ordinal, text_value, number_value, time_value, is_unique)
    select ${organization}::uuid, ${id}::uuid, r.field_id, r.ordinal, ${indexedText('r.text')}, r.number, r.time, r.is_unique
      from jsonb_to_recordset(${values}::jsonb)
           as r (field_id uuid, ordinal int, text text, number numeric, time timestamptz, is_unique boolean)),
  made_history as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes)
    values (${organization}::uuid, 'record', ${id}::uuid, 1, ${event}::uuid, ${actor}, ${changes}::jsonb))`;
};

const isAsSeen: PartText = (_organization, _id, _type, _version, users) =>
  `(select count(*) from held) = 1 and (select count(*) from members) = cardinality(${users}::uuid[])`;

/** The record, once it is written where one statement is enough. */
export async function createSeen(
  tx: OwnTx,
  kind: string,
  { actor, given }: { actor: string; given: RecordGiven },
  { type, isHeard, made, users, isOneTrip }: SeenForCreation,
): Promise<CreatedRecord | Afterwards<CreatedRecord>> {
  if (!isOneTrip) {
    const held = await typeForWrite(tx, kind);
    return { type: held, row: await createRecord(tx, held, actor, given) };
  }
  const { id, changes } = made;
  tx.isNew('record', id);
  const data = { record_id: id, kind: type.kind, organization_id: tx.organizationId, changed: fieldsIn(changes) };
  const event = tx.emit(recordCreated, data, { isHeard });
  tx.include({
    text: insertRecord,
    params: [
      ...[tx.organizationId, id, type.id, type.version, users, made.display_name, made.search_text],
      ...[made.fields, made.custom_fields, made.metadata, made.rows].map((json) => JSON.stringify(json)),
      ...[event, actor, JSON.stringify(changes)],
    ],
    gives: 'made',
    assertion: isAsSeen,
  });
  return new Afterwards(() => ({ type, row: rowOfNew(made, tx.given<Pick<RecordRow, 'created_at' | 'updated_at'>>('made')!) }));
}
