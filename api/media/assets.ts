import Joi from 'joi';
import { type MediaSource, mediaSources } from '../../src/media/asset.entity.ts';
import { assetIdIn } from '../../src/media/asset-id.ts';
import { findAsset, getAsset } from '../../src/media/find.ts';
import { type MediaKind, mediaKinds } from '../../src/media/kinds.ts';
import { listAssets } from '../../src/media/list.ts';
import { deleteAsset } from '../../src/media/remove.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, moment } from '../http/schemas.ts';
import { file, fileReply } from './file-reply.ts';
import { assetId, assetView, exampleAssetId, tag, toAssetView } from './schemas.ts';

type ListQuery = PageQuery & {
  kind?: MediaKind;
  source?: MediaSource;
  contact_id?: string;
  message_id?: string;
  since?: string;
  until?: string;
};

/** Each has an index in the list's order; two together have none. */
const indexed = ['kind', 'source', 'contactId', 'messageId'] as const;

export const listOfAssets = endpoint({
  method: 'get',
  path: '/v1/media/assets',
  operationId: 'media.assets.list',
  tag,
  scope: 'media:read',
  summary: 'List media assets, newest first',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    kind: Joi.string().valid(...mediaKinds),
    source: Joi.string().valid(...mediaSources),
    contact_id: id.description('Those that came in from this contact'),
    message_id: id.description('The one that came in with this message'),
    since: moment.description('Made at this time or later'),
    until: moment.description('Made before this time'),
  }),
  responses: { 200: listOf(assetView) },
  handler({ query, own }, { reads }) {
    const { kind, source, since, until } = query;
    const filter = { kind, source, contactId: query.contact_id, messageId: query.message_id, since, until };
    const read = (ask: Ask) => listed('media', filter, query, (page) => listAssets(own, ask, filter, page), toAssetView);
    const isIndexed = indexed.filter((name) => filter[name] !== undefined).length <= 1;
    return isIndexed && !query.include_total ? read(reads.plain) : reads.dear(own.organizationId, read);
  },
});

const about = {
  tag,
  subject: 'Media asset',
  path: '/v1/media/assets/:assetID',
  params: { assetID: assetId },
  example: { params: { assetID: exampleAssetId } },
} as const;

/** Throws 422 for what is no id of an asset, 404. */
export const assetAt = (own: Own, assetID: string) => getAsset(own, assetIdIn(own.organizationId, assetID));

export const getOneAsset = endpoint({
  ...about,
  method: 'get',
  operationId: 'media.assets.get',
  scope: 'media:read',
  summary: 'Get one media asset: what its file is',
  responses: { 200: assetView },
  handler: async ({ params, own }) => ok(toAssetView(await assetAt(own, params.assetID))),
});

export const getAssetContent = endpoint({
  ...about,
  path: '/v1/media/assets/:assetID/content',
  method: 'get',
  operationId: 'media.assets.content',
  scope: 'media:read',
  isDownload: 'media',
  summary: 'Download the file of a media asset',
  description:
    'Whole, or a part of it with `Range`. Its `ETag` never changes: with `If-None-Match` the answer is a 304. It comes as an attachment that a browser does not open; `disposition=inline` is for images (not SVG), audio and video, and nothing else.',
  query: Joi.object<{ disposition: 'attachment' | 'inline' }>({
    disposition: Joi.string().valid('attachment', 'inline').default('attachment').description('Whether a browser may show it'),
  }),
  responses: { 200: file, 206: file, 304: null },
  errors: [416],
  async handler({ params, query, own, header }, { storage }) {
    const asset = await assetAt(own, params.assetID);
    return fileReply(storage, asset, { header, isInline: query.disposition === 'inline' });
  },
});

export const deleteOneAsset = endpoint({
  ...about,
  method: 'delete',
  operationId: 'media.assets.delete',
  scope: 'media:write',
  audit: 'media_asset',
  isMissingFine: true,
  summary: 'Delete a media asset with its file',
  description:
    'Also answers 204 when there is no such asset (any more): nothing happens then. A message that was accepted with it and is not sent yet fails.',
  responses: { 204: null },
  errors: [400],
  async handler({ params, own, write }) {
    const id = assetIdIn(own.organizationId, params.assetID);
    // Nothing is changed, so nothing is written, and the audit log has no act.
    if (id === undefined || !(await findAsset(own, id))) return { status: 204 };
    return write({}, async (tx) => {
      await deleteAsset(tx.own, id);
      return { status: 204 };
    });
  },
});
