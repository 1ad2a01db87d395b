import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { variantsBy } from '../../src/platform/schemas/variants.ts';
import { type Outcome, runBatch } from '../../src/records/batch/batch.ts';
import { locksOf, type Operation } from '../../src/records/batch/operations.ts';
import { assertNotBuiltIn } from '../../src/records/built-in/kind.ts';
import { recordGiven, revision } from '../../src/records/given.ts';
import { knownTypeHeard } from '../../src/records/types/known-type.ts';
import { typeForWrite, unknownKind } from '../../src/records/types/object-type.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutRecord, exampleGiven, recordView } from './record-schemas.ts';
import { shownRecords } from './write-record.ts';

type Body = { operations: Operation[]; mode: 'atomic' | 'partial' };
const maxOperations = 100;

const operation = variantsBy('operation', {
  create: { name: 'record_create', schema: Joi.object(recordGiven) },
  update: { name: 'record_update', schema: Joi.object({ id: id.required(), ...recordGiven, revision }) },
  upsert: {
    name: 'record_upsert',
    schema: Joi.object({
      field: Joi.string().max(63).required().description('A unique field'),
      value: Joi.any().required().description('Its value'),
      ...recordGiven,
    }),
  },
  delete: { name: 'record_delete', schema: Joi.object({ id: id.required(), revision }) },
});

const outcomeSchema = Joi.object({
  status: Joi.string().valid('created', 'updated', 'unchanged', 'deleted', 'failed').required(),
  id: id.description('Left out where it failed'),
  record: recordView.schema.optional().description('As it is after the whole batch; left out when it was deleted or failed'),
  error: Joi.object({
    code: Joi.string().required(),
    message: Joi.string().required(),
    details: Joi.array().items(Joi.object().unknown()).required(),
  }).description('Why it failed; nothing of it was written'),
});

export const batchOfRecords = endpoint({
  ...aboutRecord,
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/records/batch',
  operationId: 'crm.records.batch',
  scope: 'crm:write',
  summary: 'Create, update, upsert and delete up to 100 records at once',
  description:
    'In the order given. `atomic`: all or nothing, and the first that fails is the error, with its place in `field`. `partial`: each by itself, with an outcome each. An update without a field to change is refused, as by `PATCH`.',
  isIdempotent: true,
  isShapedByScopes: true,
  isMissingFine: true,
  body: Joi.object<Body>({
    operations: Joi.array().items(operation).min(1).max(maxOperations).required(),
    mode: Joi.string().valid('atomic', 'partial').default('atomic'),
  }),
  responses: {
    200: view(
      Joi.object({ results: Joi.array().items(outcomeSchema).required().description('One an operation, in its order') }),
      { results: [{ status: 'created', id: exampleIdOf('record'), record: recordView.example }] },
    ),
  },
  errors: [404],
  example: { params: { objectKind: 'company' }, body: { operations: [{ operation: 'create', ...exampleGiven }] } },
  async handler({ params: { objectKind }, body: { operations, mode }, caller, own, write }) {
    assertNotBuiltIn(objectKind);
    const look = async () => {
      const { type, isHeard } = await knownTypeHeard(own, objectKind);
      if (!type) throw unknownKind();
      return { isHeard, locks: await locksOf(own, type, operations) };
    };
    return write({ look, locks: ({ locks }) => locks }, async (tx, { isHeard }) => {
      const type = await typeForWrite(tx.own, objectKind);
      const run = { actor: actorOf(caller), isHeard, isPartial: mode === 'partial' };
      const outcomes = await runBatch(tx.own, type, operations, run);
      const rows = new Map(outcomes.flatMap((one) => ('row' in one ? [[one.row.id, one.row] as const] : [])));
      for (const one of outcomes) if (one.status === 'deleted') rows.delete(one.id);
      const shown = await shownRecords(tx.own, caller, type, [...rows.values()]);
      const records = new Map((shown as { id: string }[]).map((one) => [one.id, one]));
      return ok({ results: outcomes.map((one) => toOutcomeView(one, records)) });
    });
  },
});

function toOutcomeView(one: Outcome, records: Map<string, object>): object {
  if (one.status === 'deleted') return { status: one.status, id: one.id };
  if (one.status === 'failed') {
    const { code, message, details = [] } = one.error;
    return { status: one.status, error: { code, message, details } };
  }
  const record = records.get(one.row.id);
  return { status: one.status, id: one.row.id, ...(record && { record }) };
}
