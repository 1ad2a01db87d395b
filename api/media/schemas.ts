import Joi from 'joi';
import { mediaSources } from '../../src/media/asset.entity.ts';
import { publicIdOf, storageKeyOf } from '../../src/media/asset-id.ts';
import type { AssetRow } from '../../src/media/find.ts';
import { mediaKinds } from '../../src/media/kinds.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Media';

export const exampleAssetId = publicIdOf(storageKeyOf(exampleIds.organization, exampleIds.mediaAsset));

/** What is no asset's id is refused by its reader (asset-id.ts): 422, not 404. */
export const assetId = Joi.string().required().description('The id of the asset: the key of its file in URL-safe Base64');

export const assetView = view(
  'media_asset',
  Joi.object({
    id: Joi.string().required().description('The key of its file in URL-safe Base64'),
    kind: Joi.string()
      .valid(...mediaKinds)
      .required()
      .description('What it can be sent as'),
    source: Joi.string()
      .valid(...mediaSources)
      .required()
      .description('`upload`: sent here; `inbound`: came in with a message'),
    mime_type: Joi.string().required().description('By its content'),
    declared_type: Joi.string().allow(null).required().description('What its sender called it'),
    size_bytes: Joi.number().integer().required(),
    sha256: Joi.string().hex().length(64).required(),
    file_name: Joi.string().allow('').required().description('As its sender gave it; it is no path'),
    message_id: id.allow(null).required().description('The message it came in with'),
    contact_id: id.allow(null).required().description('Whose erasure removes it'),
    created_by: Joi.string().allow(null).required().description('`user:<id>` or `key:<id>`; null: inbound'),
    created_at: timestamp.required(),
    missing_since: timestamp.allow(null).required().description('Since when the storage has not had the file'),
  }),
  {
    id: exampleAssetId,
    kind: 'document',
    source: 'upload',
    mime_type: 'text/plain',
    declared_type: 'text/plain',
    size_bytes: 33,
    sha256: '2f3c1a6c7be5b0a5b4ab5f3a4ccf2d5c3a1d9a60b4a5d1fe7b3a4f5c6d7e8f90',
    file_name: 'note.txt',
    message_id: null,
    contact_id: null,
    created_by: `key:${exampleIds.apiKey}`,
    created_at: exampleTime,
    missing_since: null,
  },
);

export const toAssetView = (row: AssetRow) => ({
  id: publicIdOf(row.storage_key),
  kind: row.kind,
  source: row.source,
  mime_type: row.mime_type,
  declared_type: row.declared_type || null,
  size_bytes: Number(row.size_bytes),
  sha256: row.sha256,
  file_name: row.file_name,
  message_id: row.message_id,
  contact_id: row.contact_id,
  created_by: row.created_by || null,
  created_at: iso(row.created_at),
  missing_since: row.missing_since && iso(row.missing_since),
});
