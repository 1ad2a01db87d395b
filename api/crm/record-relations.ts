import Joi from 'joi';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { bindingOf, cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { assertNotBuiltIn, assertSees } from '../../src/records/built-in/kind.ts';
import { linkLocks, linkRecord, relationNamed, unlinkRecord } from '../../src/records/link-record.ts';
import { type LinkRow, listLinks } from '../../src/records/links.ts';
import type { RecordRow } from '../../src/records/record-row.ts';
import type { ObjectType, Relation } from '../../src/records/types/definition.ts';
import { loadType, typeForWrite, unknownKind } from '../../src/records/types/object-type.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { listOf, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { readerOf } from './kind-reader.ts';
import { aboutRecord, recordView } from './record-schemas.ts';
import { shownRecord } from './write-record.ts';

const relationName = Joi.string().description('The relation, by the name that this end has for it');
const about = { ...aboutRecord, params: { ...aboutRecord.params, relationName } };
const params = { objectKind: 'company', relationName: 'contacts' };

const relatedView = view(
  'crm_related',
  Joi.object({
    id: id.required(),
    kind: Joi.string().required(),
    display_name: Joi.string().allow('').required(),
    linked_at: timestamp.required(),
  }),
  { id: exampleIds.contact, kind: 'contact', display_name: 'Sheena Nelson', linked_at: exampleTime },
);

const toRelatedView = ({ kind }: Relation, { object_id, display_name, created_at }: LinkRow) => ({
  id: object_id,
  kind,
  display_name,
  linked_at: iso(created_at),
});

type LinksQuery = Pick<PageQuery, 'limit' | 'cursor'>;

export const listOfRelated = endpoint({
  ...about,
  method: 'get',
  path: '/v1/crm/object-types/:objectKind/records/:recordID/relations/:relationName',
  operationId: 'crm.records.relations.list',
  scope: 'crm:read',
  summary: 'List what a record of any kind is linked to by a relation, the latest first',
  description: 'To read what has its own table also needs the scope that reads it.',
  query: Joi.object<LinksQuery>({ limit: pageQuery.limit, cursor: pageQuery.cursor }),
  responses: { 200: listOf(relatedView) },
  example: { params },
  async handler({ params: { objectKind, recordID, relationName }, query, own, caller }, { reads }) {
    const reader = await readerOf(own, caller, objectKind);
    await reader.get(reads, recordID);
    const relation = relationNamed(reader.relations, relationName);
    assertSees(caller, relation.kind);
    const binding = bindingOf(['related', recordID, relation.id, relation.isInverse]);
    const after = query.cursor === undefined ? undefined : positionIn(query.cursor, binding, ['id'])[0];
    const rows = await listLinks(own, relation, recordID, { limit: query.limit, after });
    const page = { ...query, include_total: false };
    const { rows: shown, meta } = pageFrom(page, rows, (row) => cursorOf(binding, [row.id]));
    return ok({ items: shown.map((row) => toRelatedView(relation, row)), meta });
  },
});

type LinkParams = { objectKind: string; recordID: string; relationName: string; otherID: string };

/** Under the locks of both ends. The relation is looked up before them and again below the type's lock. */
const changeLink = (
  { own, write, caller, params }: Pick<Input<unknown, unknown, LinkParams>, 'own' | 'write' | 'caller' | 'params'>,
  change: typeof linkRecord,
  reply: (tx: OwnTx, type: ObjectType, row: RecordRow) => Promise<Reply>,
): Promise<Reply> => {
  const { objectKind, recordID, relationName, otherID } = params;
  assertNotBuiltIn(objectKind);
  const endOf = (type: ObjectType | undefined) => {
    if (!type) throw unknownKind();
    return { relation: relationNamed(type.relations, relationName), otherId: otherID };
  };
  const look = async () => linkLocks(recordID, endOf(await loadType(own, objectKind)));
  return write({ look, locks: (locks) => locks }, async ({ own: tx }) => {
    const type = await typeForWrite(tx, objectKind);
    const row = await change(tx, type, { id: recordID, actor: actorOf(caller) }, endOf(type));
    return reply(tx, type, row);
  });
};

export const linkTwo = endpoint({
  ...about,
  method: 'put',
  path: '/v1/crm/object-types/:objectKind/records/:recordID/relations/:relationName/:otherID',
  operationId: 'crm.records.relations.link',
  scope: 'crm:write',
  summary: 'Link a record to another object',
  description:
    'A change of the record, and of the other end where that is a record. Linked already: nothing changes. Where the cardinality leaves no room it is a 409 that names what is there.',
  responses: { 200: recordView },
  errors: [409],
  example: { params: { ...params, otherID: exampleIds.contact } },
  handler: (input) => changeLink(input, linkRecord, async (tx, type, row) => ok(await shownRecord(tx, input.caller, type, row))),
});

export const unlinkTwo = endpoint({
  ...about,
  method: 'delete',
  path: '/v1/crm/object-types/:objectKind/records/:recordID/relations/:relationName/:otherID',
  operationId: 'crm.records.relations.unlink',
  scope: 'crm:write',
  summary: 'Remove a link between a record and another object',
  responses: { 204: null },
  example: { params: { ...params, otherID: exampleIds.contact } },
  handler: (input) => changeLink(input, unlinkRecord, async () => ({ status: 204 })),
});
