import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { textCheck } from '../csv/utf8.ts';
import type { Own } from '../database/own.ts';
import { AppError } from '../errors.ts';
import type { Transact } from '../ledger/transact.ts';
import { piecesOf } from '../pieces.ts';
import type { Upload, Uploads } from './uploads.ts';

const chunkBytes = 1024 * 1024;

type Receiving = { own: Own; transact: Transact; maxBytes: number; maxQueued?: number };

/** The sender waits while a piece is written. Throws 413 above `maxBytes`, 422 when empty, not UTF-8 or at `maxQueued`. */
export async function receiveUpload(
  uploads: Uploads,
  { own, transact, maxBytes, maxQueued }: Receiving,
  actor: string,
  file: Readable,
): Promise<Upload> {
  const importId = await transact({ locks: [uploads.tables.lane(own.organizationId)] }, (tx) =>
    uploads.begin(tx.of(own.organizationId), actor, maxQueued),
  );
  try {
    const hash = createHash('sha256');
    const isText = textCheck();
    let bytes = 0;
    let number = 0;
    let pieces: Buffer[] = [];
    let held = 0;
    const store = async () => {
      await uploads.storeChunk(own, importId, number, Buffer.concat(pieces));
      number += 1;
      pieces = [];
      held = 0;
    };
    for await (const piece of piecesOf(file)) {
      bytes += piece.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (!isText(piece)) throw notText();
      hash.update(piece);
      pieces.push(piece);
      held += piece.length;
      if (held >= chunkBytes) await store();
    }
    if (!isText()) throw notText();
    if (bytes === 0) throw new AppError('invalid_request', 'The file is empty');
    if (held > 0) await store();
    return { importId, bytes, checksum: hash.digest() };
  } catch (error) {
    // Reads and drops the rest of the body, so that the sender receives the answer.
    file.resume();
    await uploads.drop(own, importId).catch(() => undefined);
    throw error;
  }
}

export const tooLarge = (maxBytes: number) => new AppError('payload_too_large', `The file is larger than ${maxBytes} bytes`);
const notText = () => new AppError('invalid_request', 'The file is not text in UTF-8, or holds a NUL');
