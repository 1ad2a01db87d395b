import Joi from 'joi';
import { findAsset } from '../../src/media/find.ts';
import { readLink, signedLink } from '../../src/media/links.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { now } from '../../src/platform/time/clock.ts';
import { endpoint } from '../http/endpoint.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { assetAt } from './assets.ts';
import { file, fileReply } from './file-reply.ts';
import { assetId, exampleAssetId, tag } from './schemas.ts';

const path = '/v1/media/links';
const longestSeconds = 24 * 3600;

/** Of the form of a link; no secret has signed it. */
const exampleLink = Buffer.concat([
  Buffer.from(`${exampleIds.organization}${exampleIds.mediaAsset}`.replaceAll('-', ''), 'hex'),
  Buffer.alloc(39, 7),
]).toString('base64url');

const linkView = view(
  Joi.object({
    id: Joi.string().required(),
    link: Joi.string().required().description('For anybody who has it, without a credential, until it ends'),
    expires_at: timestamp.required(),
  }),
  { id: exampleLink, link: `https://kanal.example.com${path}/${exampleLink}`, expires_at: exampleTime },
);

type LinkBody = { expires_in: number; disposition: 'attachment' | 'inline' };

export const createAssetLink = endpoint({
  method: 'post',
  path: '/v1/media/assets/:assetID/links',
  operationId: 'media.assets.links.create',
  tag,
  subject: 'Media asset',
  scope: 'media:read',
  audit: 'media_asset',
  isIdempotent: true,
  holdsSecret: true,
  summary: 'Make a short-lived link to the file of a media asset',
  description:
    'For a browser, or anybody else without a credential. It cannot be taken back before its end but by deleting the asset; the audit log says who made it.',
  params: { assetID: assetId },
  body: Joi.object<LinkBody>({
    expires_in: Joi.number().integer().min(10).max(longestSeconds).default(900).description('Seconds until it ends'),
    disposition: Joi.string()
      .valid('attachment', 'inline')
      .default('attachment')
      .description('Whether a browser may show it: images (not SVG), audio and video'),
  }),
  responses: { 201: linkView },
  location: path,
  example: { params: { assetID: exampleAssetId }, body: { expires_in: 900, disposition: 'inline' } },
  async handler({ params, body, own, write }, { secrets, config }) {
    const asset = await assetAt(own, params.assetID);
    const expiresAtMs = Math.floor(now() / 1_000 + body.expires_in) * 1_000;
    const isInline = body.disposition === 'inline';
    const id = signedLink(secrets, { organizationId: own.organizationId, assetId: asset.id, expiresAtMs, isInline });
    const link = `${config.publicUrl?.replace(/\/$/, '') ?? ''}${path}/${id}`;
    return write({}, async () => ({
      status: 201,
      body: { id, link, expires_at: iso(new Date(expiresAtMs)) },
      audit: { details: { expires_in: body.expires_in } },
    }));
  },
});

export const getLinkedFile = endpoint({
  method: 'get',
  path: '/v1/media/links/:linkID',
  operationId: 'media.links.get',
  tag,
  subject: 'Link',
  scope: 'public',
  isDownload: 'media',
  summary: 'Download a file by a link',
  description: 'As `GET /v1/media/assets/{assetID}/content`. A link that has ended, or whose asset is deleted, is a 404.',
  params: { linkID: Joi.string().max(200).required() },
  example: { params: { linkID: exampleLink } },
  responses: { 200: file, 206: file, 304: null },
  errors: [416],
  async handler({ params, header }, { database, secrets, storage }) {
    const link = readLink(secrets, params.linkID);
    const asset = link && (await findAsset(ownRows(database, link.organizationId), link.assetId));
    if (!asset) throw notFound('Link');
    return fileReply(storage, asset, { header, isInline: link.isInline });
  },
});
