import type { Readable } from 'node:stream';
import { AppError } from '../../platform/errors.ts';

/** The first and the last byte, both included. */
export type ByteRange = { start: number; end: number };
export type StoredFile = { key: string; bytes: number; modifiedAt: Date };
export type Pieces = AsyncIterable<Buffer>;

/** Where the bytes of files are. Keys are those of asset-id.ts; anything else throws. All may throw StorageFailed. */
export type Storage = {
  name: 'disk' | 's3';
  /** Whole or not at all: pieces that end in an error, or a dead process, leave no file under the key. */
  put(key: string, pieces: Pieces): Promise<void>;
  /** Throws FileMissing. The stream must be read or destroyed. */
  get(key: string, range?: ByteRange): Promise<Readable>;
  /** Idempotent. */
  delete(key: string): Promise<void>;
  /** In the order of the keys; fewer than `limit`: there are no more. */
  list(options: { after?: string; limit: number }): Promise<StoredFile[]>;
  /** Removes what uploads that died left behind. Returns how many. */
  removeUnfinished(before: Date): Promise<number>;
  close(): void;
};

export class FileMissing extends Error {
  constructor(key: string, cause?: unknown) {
    super(`The storage has no file ${key}`, { cause });
  }
}

/** The storage is away, slow or full: our outage, which a worker tries again without spending an attempt. */
export class StorageFailed extends AppError {
  constructor(cause: unknown) {
    super('unavailable', 'The storage of files cannot be reached; try again', { retryAfterSeconds: 5, cause });
  }
}
