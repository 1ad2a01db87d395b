import Joi from 'joi';
import { conversionOf, convertDraft } from '../../src/commerce/drafts/convert.ts';
import {
  createDraft,
  type DraftFilter,
  type DraftRow,
  deleteDraft,
  draftLock,
  type Given,
  getDraft,
  listDrafts,
  patchDraft,
} from '../../src/commerce/drafts/drafts.ts';
import { showDrafts } from '../../src/commerce/drafts/shown.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { brokenReference } from '../../src/platform/database/errors.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { invalidField } from '../../src/platform/errors.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint, ok, type Reply } from '../http/endpoint.ts';
import { keysetOf, listOf, type PageQuery, pageOf, pageQuery } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { draftView, toDraftView } from './draft-view.ts';
import { draftChange, draftFields, exampleNewOrder } from './order-fields.ts';
import { orderReply, orderView, revision, tag } from './order-view.ts';

const about = { tag, subject: 'Draft order' } as const;
const audit = 'draft_order';

async function draftReply(own: Own, row: DraftRow, status = 200): Promise<Reply> {
  const [shown] = await showDrafts(own, [row]);
  return { status, body: toDraftView(shown!) };
}

/** The contact is the only row a draft refers to. */
const refusal = (error: unknown) =>
  brokenReference(error) === undefined ? undefined : invalidField('contact_id', 'No contact has this id', 'reference.unknown');
const nothingSeen = async () => undefined;

export const listOfDraftOrders = endpoint({
  method: 'get',
  path: '/v1/commerce/draft-orders',
  operationId: 'commerce.draft-orders.list',
  tag,
  scope: 'commerce:read',
  summary: 'List draft orders, newest first',
  query: Joi.object<PageQuery & DraftFilter>({ ...pageQuery, contact_id: id }),
  responses: { 200: listOf(draftView) },
  async handler({ query, own }, { reads }) {
    const { contact_id } = query;
    const filter = { ...(contact_id !== undefined && { contact_id }) };
    const asked = { ...keysetOf('draft-orders', filter, query), includeTotal: query.include_total };
    const read = (ask: Ask) => listDrafts(own, ask, filter, asked);
    const { rows, total } = await (query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain));
    const page = pageOf('draft-orders', filter, query, rows, total);
    return ok({ items: (await showDrafts(own, page.rows)).map(toDraftView), meta: page.meta });
  },
});

export const createDraftOrder = endpoint({
  method: 'post',
  path: '/v1/commerce/draft-orders',
  operationId: 'commerce.draft-orders.create',
  tag,
  audit,
  scope: 'commerce:write',
  summary: 'Create a draft order',
  description:
    'Nothing is reserved, and nothing is refused for being incomplete: `faults` say what a conversion would refuse. It is deleted 30 days after its last change.',
  errors: [404],
  isIdempotent: true,
  body: Joi.object<Given>(draftFields),
  responses: { 201: draftView },
  example: { body: exampleNewOrder },
  handler: ({ body, write }) =>
    write({ look: nothingSeen, locks: () => [], refusal }, async ({ own: tx }) =>
      draftReply(tx, await createDraft(tx, body ?? {}), 201),
    ),
});

export const getDraftOrder = endpoint({
  ...about,
  method: 'get',
  path: '/v1/commerce/draft-orders/:draftOrderID',
  operationId: 'commerce.draft-orders.get',
  scope: 'commerce:read',
  summary: 'Get one draft order',
  responses: { 200: draftView },
  handler: async ({ params, own }) => draftReply(own, await getDraft(own, params.draftOrderID)),
});

export const patchDraftOrder = endpoint({
  ...about,
  audit,
  method: 'patch',
  path: '/v1/commerce/draft-orders/:draftOrderID',
  operationId: 'commerce.draft-orders.update',
  scope: 'commerce:write',
  summary: 'Change a draft order',
  description:
    'What is not given stays; a null removes. `items` are replaced whole. A draft that became an order stays as it is: 409.',
  errors: [409],
  body: Joi.object<Given & { revision?: number }>({ ...draftChange, revision }).min(1),
  responses: { 200: draftView },
  example: { body: { discount_code: 'WELCOME' } },
  handler: ({ params: { draftOrderID }, body: { revision: seen, ...change }, write }) =>
    write({ look: nothingSeen, locks: () => [draftLock(draftOrderID)], refusal }, async ({ own: tx }) =>
      draftReply(tx, await patchDraft(tx, { id: draftOrderID, revision: seen }, change)),
    ),
});

export const deleteDraftOrder = endpoint({
  ...about,
  audit,
  method: 'delete',
  path: '/v1/commerce/draft-orders/:draftOrderID',
  operationId: 'commerce.draft-orders.delete',
  scope: 'commerce:write',
  summary: 'Delete a draft order',
  description: 'The order it became stays.',
  responses: { 204: null },
  handler: ({ params: { draftOrderID }, write }) =>
    write({ locks: [draftLock(draftOrderID)] }, async ({ own: tx }) => {
      await deleteDraft(tx, draftOrderID);
      return { status: 204 };
    }),
});

export const convertDraftOrder = endpoint({
  ...about,
  method: 'post',
  path: '/v1/commerce/draft-orders/:draftOrderID/convert',
  operationId: 'commerce.draft-orders.convert',
  audit: 'order',
  scope: 'commerce:write',
  summary: 'Make an order of a draft',
  description:
    'Once: asked again, it answers 200 with the same order. The contact is found or made, names and prices are copied, and the discount, the slot, the time and the stock are taken together, or nothing is. The stock is held for `reservation_minutes` of the settings, or until the order is paid.',
  errors: [409],
  location: '/v1/commerce/orders',
  responses: { 200: orderView, 201: orderView },
  async handler({ params: { draftOrderID }, caller, own, write }, { secrets }) {
    const made = await write(conversionOf(own, draftOrderID), async ({ own: tx }, seen) => {
      const { orderId, isNew } = await convertDraft(tx, secrets, seen, actorOf(caller));
      return { status: isNew ? 201 : 200, body: { id: orderId }, audit: { subject: `order:${orderId}` } };
    });
    // Read once it is committed: who buys the same waits for the transaction, and not for this (bench: flash-sale). No reply is stored for it: asked again
    // it answers with the same order.
    const { body } = await orderReply(own, (made.body as { id: string }).id, secrets);
    return { ...made, body };
  },
});
