import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { type CreatedRecord, createSeen, creationOf } from '../../src/records/create.ts';
import { recordGiven, revision } from '../../src/records/given.ts';
import type { RecordGiven } from '../../src/records/new-record.ts';
import { deleteRecord, type Patch, patchRecord, restoreRecord } from '../../src/records/write.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { readerOf } from './kind-reader.ts';
import { aboutRecord, exampleGiven, recordView } from './record-schemas.ts';
import { changeOneRecord, shownNewRecord, shownRecord } from './write-record.ts';

export const createOneRecord = endpoint({
  ...aboutRecord,
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/records',
  operationId: 'crm.records.create',
  scope: 'crm:write',
  summary: 'Create a record',
  description:
    'A unique value that another record has is a 409. Objects of a kind with its own table are created at their own endpoint.',
  isIdempotent: true,
  isMissingFine: true,
  body: Joi.object<RecordGiven>(recordGiven),
  responses: { 201: recordView },
  example: { params: { objectKind: 'company' }, body: exampleGiven },
  async handler({ params: { objectKind }, body, caller, own, write }) {
    assertNotBuiltIn(objectKind);
    return write(creationOf(own, objectKind, body), async ({ own: tx }, seen) => {
      const made = await createSeen(tx, objectKind, { actor: actorOf(caller), given: body }, seen);
      const reply = ({ type, row }: CreatedRecord) => ({ status: 201, body: shownNewRecord(type, row) });
      return made instanceof Afterwards ? new Afterwards(() => reply(made.read())) : reply(made);
    });
  },
});

export const getOneRecord = endpoint({
  ...aboutRecord,
  method: 'get',
  path: '/v1/crm/object-types/:objectKind/records/:recordID',
  operationId: 'crm.records.get',
  scope: 'crm:read',
  summary: 'Get one record of any kind',
  responses: { 200: recordView },
  example: { params: { objectKind: 'company' } },
  async handler({ params, own, caller }, { reads }) {
    const reader = await readerOf(own, caller, params.objectKind);
    const [shown] = await reader.shown([await reader.get(reads, params.recordID)]);
    return ok(shown);
  },
});

export const patchOneRecord = endpoint({
  ...aboutRecord,
  method: 'patch',
  path: '/v1/crm/object-types/:objectKind/records/:recordID',
  operationId: 'crm.records.update',
  scope: 'crm:write',
  summary: 'Update a record',
  description: 'Given fields only. What changes nothing makes no revision and no event.',
  body: Joi.object<Patch>({ ...recordGiven, revision }).or(...Object.keys(recordGiven)),
  responses: { 200: recordView },
  example: { params: { objectKind: 'company' }, body: { fields: { industry: 'software' } } },
  handler: ({ params, body, caller, write }) =>
    changeOneRecord(write, params, async (tx, type) => {
      const { row } = await patchRecord(tx, type, body, { id: params.recordID, actor: actorOf(caller) });
      return ok(await shownRecord(tx, caller, type, row));
    }),
});

export const deleteOneRecord = endpoint({
  ...aboutRecord,
  method: 'delete',
  path: '/v1/crm/object-types/:objectKind/records/:recordID',
  operationId: 'crm.records.delete',
  scope: 'crm:write',
  summary: 'Put a record into the bin',
  description:
    'It is out of every read and list, its links with it, and its unique values are free. A relation with `on_delete: restrict` keeps it while it is linked: 409. The bin is emptied after 30 days.',
  responses: { 204: null },
  errors: [409],
  example: { params: { objectKind: 'company' } },
  handler: ({ params, caller, write }) =>
    changeOneRecord(write, params, async (tx, type) => {
      await deleteRecord(tx, type, { id: params.recordID, actor: actorOf(caller) });
      return { status: 204 };
    }),
});

export const restoreOneRecord = endpoint({
  ...aboutRecord,
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/records/:recordID/restore',
  operationId: 'crm.records.restore',
  scope: 'crm:write',
  summary: 'Take a record out of the bin',
  description:
    'With its links. A unique value that another record has meanwhile is a 409, and it stays in the bin. A record that is not in the bin stays as it is.',
  responses: { 200: recordView },
  errors: [409],
  example: { params: { objectKind: 'company' } },
  handler: ({ params, caller, write }) =>
    changeOneRecord(write, params, async (tx, type) => {
      const { row } = await restoreRecord(tx, type, { id: params.recordID, actor: actorOf(caller) });
      return ok(await shownRecord(tx, caller, type, row));
    }),
});
