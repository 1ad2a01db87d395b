import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { MediaAsset } from './asset.entity.ts';

export const assetColumns = [
  'id',
  'storage_key',
  'kind',
  'source',
  'mime_type',
  'declared_type',
  'size_bytes',
  'sha256',
  'file_name',
  'message_id',
  'contact_id',
  'created_by',
  'created_at',
  'missing_since',
] as const;
export type AssetRow = RowOf<typeof MediaAsset, (typeof assetColumns)[number]>;

const assetById = statement((select, { id }: { id: string }) =>
  select(MediaAsset).select(assetColumns).where('id', '=', id).where('deleted_at', 'is', null),
);
const assetByMessage = statement((select, { messageId }: { messageId: string }) =>
  select(MediaAsset).select(assetColumns).where('message_id', '=', messageId).where('deleted_at', 'is', null),
);

export async function findAsset(own: Own, id: string): Promise<AssetRow | undefined> {
  const [row] = await assetById(own, { id });
  return row;
}

/** Throws 404. */
export async function getAsset(own: Own, id: string | undefined): Promise<AssetRow> {
  const row = id === undefined ? undefined : await findAsset(own, id);
  if (!row) throw notFound('Media asset');
  return row;
}

/** The file that came in with a message. */
export async function findAssetOfMessage(own: Own, messageId: string): Promise<AssetRow | undefined> {
  const [row] = await assetByMessage(own, { messageId });
  return row;
}
