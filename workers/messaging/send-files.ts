import { openAsset } from '../../src/media/assets.ts';
import { usualType } from '../../src/media/kinds.ts';
import { FileMissing } from '../../src/media/storage/storage.ts';
import { namedFiles, withProviderIds } from '../../src/messaging/files/named.ts';
import {
  claimUpload,
  forgetUploads,
  giveUploadBack,
  type KnownFile,
  knownFiles,
  rememberUpload,
  uploadWaitMs,
} from '../../src/messaging/files/uploads.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { maySayFileUnknown } from '../../src/providers/messaging-app/error-codes.ts';
import type { Account } from '../../src/providers/messaging-app/provider.ts';
import type { RunContext } from '../handler.ts';
import type { Claim } from './claim-message.ts';

/** `content`: as the provider takes it, once nothing is to be uploaded. `oldIds`: of uploads from before the message. */
export type Files = { content: Claim['content']; toUpload: KnownFile[]; oldIds: string[] };

export const fileMissing: JobError = { code: 'asset_missing', message: 'A file of the message was deleted before it went out' };

/** Undefined: a file is not there any more. Most messages name none, and cost no look. */
export async function filesOf(own: Own, claim: Claim): Promise<Files | undefined> {
  const { type, content, message_id: messageId, phone_number_id: phoneNumberId } = claim;
  const publicIds = [...new Set(namedFiles(type, content).map(({ assetId }) => assetId))];
  if (publicIds.length === 0) return { content, toUpload: [], oldIds: [] };
  const known = new Map(
    (await knownFiles(own, { messageId, phoneNumberId, publicIds })).map((file): [string, KnownFile] => [file.publicId, file]),
  );
  if (publicIds.some((id) => !known.has(id))) return undefined;
  const toUpload = [...known.values()].filter(({ mediaId }) => mediaId === null);
  if (toUpload.length > 0) return { content, toUpload, oldIds: [] };
  const oldIds = [...known.values()].flatMap(({ isOld, mediaId }) => (isOld ? [mediaId!] : []));
  return {
    content: withProviderIds(type, content, (id) => ({ id: known.get(id)!.mediaId!, name: known.get(id)!.name })),
    toUpload,
    oldIds,
  };
}

/**
 * Each is remembered at once: a second run uploads only the others. Leaves out what other messages upload at this moment, and returns how long
 * to wait for them.
 */
export async function uploadFiles(
  { own, transact, outside, providers, storage }: RunContext<unknown>,
  account: Account,
  messageId: string,
  files: KnownFile[],
): Promise<{ waitMs: number }> {
  const { phoneNumberId } = account;
  const ofOthers: string[] = [];
  for (const { id: assetId, mimeType, bytes } of files) {
    const upload = { assetId, phoneNumberId, messageId };
    if (!(await transact({}, (tx) => claimUpload(tx.own, upload)))) {
      ofOthers.push(assetId);
      continue;
    }
    const open = async () => (await openAsset(own, storage, assetId)).stream;
    try {
      const file = { mimeType: usualType(mimeType), bytes, open };
      const mediaId = await outside(() => providers.messagingApp.uploadMedia(account, file));
      await transact({}, async (tx) => void (await rememberUpload(tx.own, { assetId, phoneNumberId, mediaId })));
    } catch (error) {
      await transact({}, async (tx) => void (await giveUploadBack(tx.own, upload)));
      throw error;
    }
  }
  return { waitMs: ofOthers.length > 0 ? await uploadWaitMs(own, phoneNumberId, ofOthers) : 0 };
}

export const isFileMissing = (error: unknown) =>
  error instanceof FileMissing || (error instanceof AppError && error.code === 'not_found');

/** The provider may have dropped a file that was uploaded for an earlier message: it is uploaded again, once. */
export const mayHaveExpired = (error: unknown, { oldIds }: Files) =>
  oldIds.length > 0 && error instanceof ProviderRefused && !error.stopsChannel && maySayFileUnknown(error.providerCode);

export const forgetExpired =
  ({ phone_number_id: phoneNumberId }: Claim, { oldIds }: Files) =>
  async ({ own }: TenantTx) => {
    await forgetUploads(own, oldIds, phoneNumberId);
  };
