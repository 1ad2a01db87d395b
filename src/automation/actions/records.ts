import Joi from 'joi';
import { id } from '../../platform/ids.ts';
import { recordGiven } from '../../records/given.ts';
import type { RecordGiven } from '../../records/new-record.ts';
import { recordLock } from '../../records/record-row.ts';
import { typeForWrite } from '../../records/types/object-type.ts';
import { createRecord, patchRecord } from '../../records/write.ts';
import { idOf, kindOf } from './about.ts';
import { databaseAction } from './action.ts';
import { recordFaults, recordType } from './record-types.ts';

const kind = Joi.string().max(63).description('The kind of a type of records, such as company');

type NewFields = RecordGiven & { kind: string };

export const createRecordAction = databaseAction<NewFields>({
  type: 'create_record',
  description: 'Creates a record of a type. A unique value that another record has fails the step.',
  scopes: ['crm:write'],
  fields: Joi.object<NewFields>({ kind: kind.required(), ...recordGiven }),
  example: { kind: 'company', fields: { name: '{{ contact.custom_fields.company }}' } },
  check: (own, given) => recordFaults(own, given, true),
  async prepare({ own: reading, actor }, { kind: named, ...given }) {
    await recordType(reading, named);
    return {
      locks: [],
      async write({ own }) {
        const row = await createRecord(own, await typeForWrite(own, named), actor, given);
        return { record_id: row.id, kind: named, display_name: row.display_name };
      },
    };
  },
});

type UpdateFields = RecordGiven & { kind?: string; record_id?: string };

export const updateRecord = databaseAction<UpdateFields>({
  type: 'update_record',
  description: 'Changes a record: given fields only. What changes nothing makes no revision and no event.',
  scopes: ['crm:write'],
  fields: Joi.object<UpdateFields>({
    kind: kind.description("The record's. Default: of the run's record"),
    record_id: id.description("Default: the run's record"),
    ...recordGiven,
  })
    .or(...Object.keys(recordGiven))
    .with('record_id', 'kind'),
  example: { fields: { industry: 'software' } },
  check: (own, given) => recordFaults(own, given, false),
  async prepare(context, { kind: named, record_id, ...given }) {
    const recordId = idOf(context, 'record', record_id);
    const { kind: known } = await recordType(context.own, kindOf(context, named));
    return {
      locks: [recordLock(recordId)],
      async write({ own }) {
        const type = await typeForWrite(own, known);
        const { row, isChanged } = await patchRecord(own, type, given, { id: recordId, actor: context.actor });
        return { record_id: row.id, kind: known, revision: row.revision, is_changed: isChanged };
      },
    };
  },
});
