import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { MediaUsage } from './asset.entity.ts';

export type Usage = { bytes: number; assets: number };

const usageRow = statement((select) => select(MediaUsage).select(['bytes', 'assets']));

export async function mediaUsage(own: Own): Promise<Usage> {
  const [row] = await usageRow(own, {});
  return { bytes: Number(row?.bytes ?? 0), assets: row?.assets ?? 0 };
}

/** SQL: an upsert that adds only within the quota. The row's lock orders uploads that end at once. */
const addFile = `
  insert into media_usage as u (organization_id, bytes, assets)
  select $1::uuid, $2::bigint, 1
   where $3::bigint = 0 or $2::bigint <= $3::bigint
  on conflict (organization_id) do update
    set bytes = u.bytes + excluded.bytes,
        assets = u.assets + 1
  where $3::bigint = 0 or u.bytes + excluded.bytes <= $3::bigint
  returning bytes`;

/** Throws 422 when the organization's files would take more than `quotaBytes`; 0: no limit. */
export async function countFile(tx: OwnTx, bytes: number, quotaBytes: number): Promise<void> {
  const counted = await tx.sql(addFile, [bytes, quotaBytes]);
  if (counted.length === 0) throw quotaReached(quotaBytes);
}

/** Before the bytes are read: the count decides later, when all of them are here. */
export async function assertRoom(own: Own, bytes: number, quotaBytes: number): Promise<void> {
  if (quotaBytes === 0) return;
  const usage = await mediaUsage(own);
  if (usage.bytes + bytes > quotaBytes) throw quotaReached(quotaBytes);
}

const quotaReached = (quotaBytes: number) =>
  new AppError('limit_reached', `The media assets of an organization have ${quotaBytes} bytes at most: delete some first`);
