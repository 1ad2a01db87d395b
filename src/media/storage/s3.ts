import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { MediaSettings } from '../../platform/config/media.ts';
import { AppError } from '../../platform/errors.ts';
import { partsOf } from '../asset-id.ts';
import { FileMissing, type Pieces, type Storage, StorageFailed, type StoredFile } from './storage.ts';

/** Two parts are in memory at once, for each upload. The protocol's smallest part has 5 MiB. */
const partBytes = 5 * 2 ** 20;
const partsAtOnce = 2;

/** Objects of one bucket, named by their keys. */
export function s3Storage(settings: MediaSettings & { bucket: string }): Storage {
  const { bucket: Bucket } = settings;
  const client = clientOf(settings);
  const checked = (key: string) => {
    if (!partsOf(key)) throw new Error('A storage key names an organization and an asset');
    return { Bucket, Key: key };
  };
  return {
    name: 's3',
    async put(key, pieces) {
      const sender = watched(pieces);
      // What the parts of a broken upload take is freed with it.
      const params = { ...checked(key), Body: Readable.from(sender.pieces) };
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce, leavePartsOnError: false });
      await upload.done().catch((error) => {
        throw sender.fault() ?? new StorageFailed(error);
      });
    },
    async get(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const { Body } = await client.send(new GetObjectCommand({ ...checked(key), Range })).catch((error) => {
        throw isMissing(error) ? new FileMissing(key, error) : new StorageFailed(error);
      });
      return Body as Readable;
    },
    async delete(key) {
      await ours(client.send(new DeleteObjectCommand(checked(key))));
    },
    async list({ after, limit }) {
      const files: StoredFile[] = [];
      for (let isMore = true; isMore && files.length < limit; ) {
        const StartAfter = files.at(-1)?.key ?? after;
        const page = await ours(client.send(new ListObjectsV2Command({ Bucket, StartAfter, MaxKeys: limit - files.length })));
        const { Contents = [] } = page;
        for (const { Key = '', Size = 0, LastModified } of Contents)
          if (LastModified) files.push({ key: Key, bytes: Size, modifiedAt: LastModified });
        isMore = page.IsTruncated === true && Contents.length > 0;
      }
      return files;
    },
    async removeUnfinished(before) {
      // Some storages do not list them: a rule of the bucket ends them there (docs/operations.md).
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket })).catch((error) => {
        if (isUnknownCall(error)) return { Uploads: [] };
        throw new StorageFailed(error);
      });
      const old = Uploads.filter(({ Initiated }) => Initiated && Initiated < before);
      for (const { Key, UploadId } of old) await ours(client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })));
      return old.length;
    },
    close: () => client.destroy(),
  };
}

function clientOf(settings: MediaSettings): S3Client {
  const { mediaS3AccessKeyId: accessKeyId, mediaS3SecretAccessKey: secretAccessKey, mediaStorageTimeoutMs } = settings;
  return new S3Client({
    region: settings.mediaS3Region,
    ...(settings.mediaS3Endpoint && { endpoint: settings.mediaS3Endpoint }),
    forcePathStyle: settings.mediaS3PathStyle,
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
    maxAttempts: 3,
    // Many compatible storages do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: mediaStorageTimeoutMs },
  });
}

/** Tells an error of the sender from one of the storage. */
function watched(pieces: Pieces) {
  let fault: unknown;
  async function* passed() {
    try {
      yield* pieces;
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  return { pieces: passed(), fault: () => fault };
}

const isMissing = (error: unknown) =>
  error instanceof S3ServiceException && (error.name === 'NoSuchKey' || error.$metadata.httpStatusCode === 404);

const isUnknownCall = (error: unknown) => error instanceof S3ServiceException && error.$metadata.httpStatusCode === 501;

async function ours<Result>(call: Promise<Result>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof AppError ? error : new StorageFailed(error);
  }
}
