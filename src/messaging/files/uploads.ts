import type { MediaAsset } from '../../media/asset.entity.ts';
import { assetIdIn } from '../../media/asset-id.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { MediaUpload } from './file.entity.ts';

/** The provider keeps an uploaded file for 30 days: one that is sent at the end of them must still be there. */
const goodDays = 29;

/** `isOld`: uploaded before the message was to go out. `mediaId` null: not uploaded, or too long ago. */
export type KnownFile = {
  publicId: string;
  id: string;
  mimeType: string;
  bytes: number;
  name: string;
  mediaId: string | null;
  isOld: boolean;
};

type UploadRow = RowOf<typeof MediaAsset, 'id' | 'mime_type' | 'size_bytes' | 'file_name'> &
  RowOf<typeof MediaUpload, 'media_id'> & { is_old: boolean };

type Asked = { messageId: string; phoneNumberId: string; publicIds: string[] };

/** Without those that were deleted. */
export async function knownFiles(own: Own, { messageId, phoneNumberId, publicIds }: Asked): Promise<KnownFile[]> {
  const byId = new Map(publicIds.map((publicId) => [assetIdIn(own.organizationId, publicId) ?? '', publicId]));
  const ids = [...byId.keys()].filter(Boolean);
  // SQL: files and their uploads in one look, by the database's clock.
  const rows = await own.sql<UploadRow>(
    `select a.id, a.mime_type, a.size_bytes, a.file_name, u.media_id, coalesce(u.uploaded_at < greatest(m.created_at, m.send_at), false) as is_old
       from media_assets a
       join messages m on m.organization_id = a.organization_id and m.id = $2
       left join media_uploads u
         on u.organization_id = a.organization_id and u.asset_id = a.id and u.phone_number_id = $3
            and u.uploaded_at > clock_timestamp() - interval '${goodDays} days'
      where a.organization_id = $1 and a.id = any($4::uuid[]) and a.deleted_at is null`,
    [messageId, phoneNumberId, ids],
  );
  return rows.map(({ id, mime_type: mimeType, size_bytes, file_name: name, media_id: mediaId, is_old: isOld }) => {
    return { publicId: byId.get(id)!, id, mimeType, bytes: Number(size_bytes), name, mediaId, isOld };
  });
}

export type FileUpload = { publicId: string; media_id: string; uploaded_at: string };
type OfMessage = { id: string; channel_id: string; created_at: string };

/** Since the message was accepted: a file that was uploaded before is only named. */
export async function uploadsOf(own: Own, { channel_id, created_at }: OfMessage, publicIds: string[]): Promise<FileUpload[]> {
  const byId = new Map(publicIds.map((publicId) => [assetIdIn(own.organizationId, publicId) ?? '', publicId]));
  // SQL: the number of the message's channel, which the table of uploads has instead of the channel.
  const rows = await own.sql<{ asset_id: string; media_id: string; uploaded_at: string }>(
    `select u.asset_id, u.media_id, u.uploaded_at
       from media_uploads u
       join channels c on c.organization_id = u.organization_id and c.id = $2 and c.phone_number_id = u.phone_number_id
      where u.organization_id = $1 and u.asset_id = any($3::uuid[]) and u.uploaded_at >= $4::timestamptz and u.media_id is not null
      order by u.uploaded_at, u.asset_id`,
    [channel_id, [...byId.keys()].filter(Boolean), created_at],
  );
  return rows.map(({ asset_id, media_id, uploaded_at }) => ({ publicId: byId.get(asset_id)!, media_id, uploaded_at }));
}

/** The longest that an upload takes, and a moment more: an older claim is of a worker that died. */
const claimSeconds = 330;
const [minClaimWaitMs, maxClaimWaitMs] = [250, 5_000];

type Upload = { assetId: string; phoneNumberId: string };
type ByMessage = Upload & { messageId: string };

/** False: another message uploads the file, or just has. A message may claim again: its run before died. */
export async function claimUpload(tx: OwnTx, { assetId, phoneNumberId, messageId }: ByMessage): Promise<boolean> {
  // SQL: an upsert with conditions, by the database's clock.
  const claimed = await tx.sql(
    `insert into media_uploads as u (organization_id, asset_id, phone_number_id, claimed_by, claimed_at)
     select a.organization_id, a.id, $3, $4::uuid, clock_timestamp()
       from media_assets a
      where a.organization_id = $1 and a.id = $2
     on conflict on constraint media_uploads_pkey do update
       set claimed_by = excluded.claimed_by, claimed_at = excluded.claimed_at
       where (u.media_id is null or u.uploaded_at <= clock_timestamp() - interval '${goodDays} days')
         and (u.claimed_by is null
              or u.claimed_by = excluded.claimed_by
              or u.claimed_at < clock_timestamp() - interval '${claimSeconds} seconds')
     returning 1`,
    [assetId, phoneNumberId, messageId],
  );
  return claimed.length > 0;
}

/** After an upload that failed: another message need not wait for the claim's end. */
export const giveUploadBack = (tx: OwnTx, { assetId, phoneNumberId, messageId }: ByMessage) =>
  // SQL: only its own claim.
  tx.sql(
    `update media_uploads
        set claimed_by = null, claimed_at = null
      where organization_id = $1 and asset_id = $2 and phone_number_id = $3 and claimed_by = $4`,
    [assetId, phoneNumberId, messageId],
  );

/** How long to wait for other messages' uploads of these files: as long as the youngest has taken so far. */
export async function uploadWaitMs(own: Own, phoneNumberId: string, assetIds: string[]): Promise<number> {
  // SQL: by the database's clock.
  const [row] = await own.sql<{ age_ms: number }>(
    `select coalesce(min(extract(epoch from clock_timestamp() - claimed_at)) * 1000, 0)::float8 as age_ms
       from media_uploads
      where organization_id = $1 and phone_number_id = $2 and asset_id = any($3::uuid[]) and claimed_at is not null`,
    [phoneNumberId, assetIds],
  );
  return Math.min(Math.max(row!.age_ms, minClaimWaitMs), maxClaimWaitMs);
}

type Uploaded = Upload & { mediaId: string };

/** Ends the claim. SQL: an upsert. Of two uploads at once either id is good, and the last one is kept. */
export const rememberUpload = (tx: OwnTx, { assetId, phoneNumberId, mediaId }: Uploaded) =>
  tx.sql(
    `insert into media_uploads (organization_id, asset_id, phone_number_id, media_id)
     select a.organization_id, a.id, $3, $4
       from media_assets a
      where a.organization_id = $1 and a.id = $2
     on conflict on constraint media_uploads_pkey do update
       set media_id = excluded.media_id, uploaded_at = clock_timestamp(), claimed_by = null, claimed_at = null`,
    [assetId, phoneNumberId, mediaId],
  );

/** SQL: only the ids that were sent; a newer upload stays. */
export const forgetUploads = (tx: OwnTx, mediaIds: string[], phoneNumberId: string) =>
  tx.sql(
    `delete from media_uploads
      where organization_id = $1 and phone_number_id = $2 and media_id = any($3)`,
    [phoneNumberId, mediaIds],
  );
