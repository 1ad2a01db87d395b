import type { Readable } from 'node:stream';
import { brokenReference, isOurOutage, violatedConstraint } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { notFound } from '../platform/errors.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { MediaAsset } from './asset.entity.ts';
import { type AssetRow, findAssetOfMessage, getAsset } from './find.ts';
import { type IncomingFile, type ReceivedFile, receiveFile } from './receive.ts';
import type { ByteRange, Storage } from './storage/storage.ts';
import { assertRoom, countFile } from './usage.ts';

/** An inbound file belongs to its message and its contact, whose erasure removes it. */
export type Origin = { source: 'upload'; createdBy: string } | { source: 'inbound'; messageId: string; contactId: string };

type Storing = { own: Own; transact: TenantTransact; storage: Storage; quotaBytes: number };

/**
 * Stores a file with its row: both or neither. A message's file that is there already is given back.
 * Throws 404 when the contact was erased, 413 and 422 as `receiveFile`, 422 `limit_reached` at the quota, StorageFailed.
 */
export async function storeAsset(
  { own, transact, storage, quotaBytes }: Storing,
  { source, ...file }: IncomingFile & Origin,
): Promise<AssetRow> {
  const origin = { source, ...file } as Origin;
  await assertRoom(own, 0, quotaBytes);
  const received = await receiveFile(storage, own.organizationId, file);
  try {
    return await transact({}, (tx) => keepFile(tx.own, received, origin, quotaBytes));
  } catch (error) {
    await dropRefused(storage, received, error);
    const earlier = violatedConstraint(error) === ofMessageOnce && origin.source === 'inbound';
    const row = earlier ? await findAssetOfMessage(own, origin.messageId) : undefined;
    if (row) return row;
    throw brokenReference(error) === ofContact ? notFound('Contact') : error;
  }
}

const ofMessageOnce = 'media_assets_message_once';
const ofContact = 'media_assets_contact';

/** Writes the row of a file that is in the storage. Throws 422 at the quota. */
export async function keepFile(tx: OwnTx, file: ReceivedFile, origin: Origin, quotaBytes: number): Promise<AssetRow> {
  const of =
    origin.source === 'inbound'
      ? { message_id: origin.messageId, contact_id: origin.contactId }
      : { message_id: null, contact_id: null, created_by: origin.createdBy };
  const row = tx.create(MediaAsset, {
    id: file.id,
    storage_key: file.storageKey,
    kind: file.kind,
    source: origin.source,
    mime_type: file.mimeType,
    declared_type: file.declaredType,
    size_bytes: String(file.bytes),
    sha256: file.sha256,
    file_name: file.fileName,
    deleted_at: null,
    missing_since: null,
    ...of,
  });
  // Before the usage: an erasure takes the contact's row first too.
  await tx.flush();
  await countFile(tx, file.bytes, quotaBytes);
  return row;
}

/** Removes the file of a write that failed. After an outage nobody knows whether the row is there: the purge of files does the rest. */
export async function dropRefused(storage: Storage, { storageKey }: ReceivedFile, error?: unknown): Promise<void> {
  if (!isOurOutage(error)) await storage.delete(storageKey).catch(() => undefined);
}

/** Throws 404 without the asset, FileMissing without its file. The stream must be read or destroyed. */
export async function openAsset(
  own: Own,
  storage: Storage,
  id: string,
  range?: ByteRange,
): Promise<{ asset: AssetRow; stream: Readable }> {
  const asset = await getAsset(own, id);
  return { asset, stream: await storage.get(asset.storage_key, range) };
}
