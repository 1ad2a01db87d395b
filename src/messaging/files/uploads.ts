import { assetIdIn } from '../../media/asset-id.ts';
import type { Own } from '../../platform/database/own.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';

/** The provider keeps an uploaded file for 30 days: one that is sent at the end of them must still be there. */
const goodDays = 29;

/** `isOld`: uploaded before the message was accepted. `mediaId` null: not uploaded, or too long ago. */
export type KnownFile = { publicId: string; id: string; mimeType: string; bytes: number; mediaId: string | null; isOld: boolean };

type Asked = { messageId: string; phoneNumberId: string; publicIds: string[] };

/** Without those that were deleted. */
export async function knownFiles(own: Own, { messageId, phoneNumberId, publicIds }: Asked): Promise<KnownFile[]> {
  const byId = new Map(publicIds.map((publicId) => [assetIdIn(own.organizationId, publicId) ?? '', publicId]));
  const ids = [...byId.keys()].filter(Boolean);
  // SQL: files and their uploads in one look, by the database's clock.
  const rows = await own.sql<{ id: string; mime_type: string; size_bytes: string; media_id: string | null; is_old: boolean }>(
    `select a.id, a.mime_type, a.size_bytes, u.media_id, coalesce(u.uploaded_at < m.created_at, false) as is_old
       from media_assets a
       join messages m on m.organization_id = a.organization_id and m.id = $2
       left join media_uploads u
         on u.organization_id = a.organization_id and u.asset_id = a.id and u.phone_number_id = $3
            and u.uploaded_at > clock_timestamp() - interval '${goodDays} days'
      where a.organization_id = $1 and a.id = any($4::uuid[]) and a.deleted_at is null`,
    [messageId, phoneNumberId, ids],
  );
  return rows.map(({ id, mime_type: mimeType, size_bytes, media_id: mediaId, is_old: isOld }) => {
    return { publicId: byId.get(id)!, id, mimeType, bytes: Number(size_bytes), mediaId, isOld };
  });
}

type Uploaded = { assetId: string; phoneNumberId: string; mediaId: string };

/** SQL: an upsert. Of two uploads at once either id is good, and the last one is kept. */
export const rememberUpload = (tx: OwnTx, { assetId, phoneNumberId, mediaId }: Uploaded) =>
  tx.sql(
    `insert into media_uploads (organization_id, asset_id, phone_number_id, media_id)
     select a.organization_id, a.id, $3, $4
       from media_assets a
      where a.organization_id = $1 and a.id = $2
     on conflict on constraint media_uploads_pkey do update
       set media_id = excluded.media_id, uploaded_at = clock_timestamp()`,
    [assetId, phoneNumberId, mediaId],
  );

/** SQL: only the ids that were sent; a newer upload stays. */
export const forgetUploads = (tx: OwnTx, mediaIds: string[], phoneNumberId: string) =>
  tx.sql(
    `delete from media_uploads
      where organization_id = $1 and phone_number_id = $2 and media_id = any($3)`,
    [phoneNumberId, mediaIds],
  );
