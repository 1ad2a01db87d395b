import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { recordGiven } from '../../src/records/given.ts';
import type { RecordGiven } from '../../src/records/new-record.ts';
import { recordLock } from '../../src/records/record-row.ts';
import { knownType } from '../../src/records/types/known-type.ts';
import { typeForWrite, unknownKind } from '../../src/records/types/object-type.ts';
import { byValueOf, findByValue, lockHolder, upsertRecord, valueLock } from '../../src/records/upsert.ts';
import { endpoint } from '../http/endpoint.ts';
import { aboutRecord, exampleGiven, recordView } from './record-schemas.ts';
import { shownRecord } from './write-record.ts';

export const upsertByValue = endpoint({
  ...aboutRecord,
  method: 'put',
  path: '/v1/crm/object-types/:objectKind/records/by/:fieldName/:value',
  operationId: 'crm.records.upsert',
  scope: 'crm:write',
  summary: 'Create or update the record that has a unique value',
  description:
    'Nobody has the value: 201 and a new record with it. A record has it: given fields are updated. However many ask at once, there is one record. A record in the bin does not have its values.',
  isMissingFine: true,
  params: {
    ...aboutRecord.params,
    fieldName: Joi.string().description('A unique field'),
    value: Joi.string().description('Its value'),
  },
  body: Joi.object<RecordGiven>(recordGiven),
  responses: { 200: recordView, 201: recordView },
  location: '/v1/crm/object-types/:objectKind/records',
  example: { params: { objectKind: 'company', fieldName: 'domain', value: 'analytical.example' }, body: exampleGiven },
  async handler({ params, body, caller, own, write }) {
    const { objectKind } = params;
    assertNotBuiltIn(objectKind);
    const look = async (attempt: number) => {
      const type = await knownType(own, objectKind);
      if (!type) throw unknownKind();
      const by = byValueOf(type, { field: params.fieldName, value: params.value });
      return { attempt, by, id: await findByValue(own, by) };
    };
    const locks = ({ by, id }: Awaited<ReturnType<typeof look>>) => [valueLock(by), ...(id ? [recordLock(id)] : [])];
    return write({ look, locks }, async ({ own: tx }, { attempt, by: seen, id }) => {
      await lockHolder(tx, seen, id);
      const type = await typeForWrite(tx, objectKind);
      const by = byValueOf(type, { field: params.fieldName, value: params.value });
      const { row, isNew } = await upsertRecord(tx, type, { actor: actorOf(caller), by, attempt }, body);
      return { status: isNew ? 201 : 200, body: await shownRecord(tx, caller, type, row) };
    });
  },
});
