import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Database } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import { beginUpload, dropUpload, storeChunk, type Upload } from './imports.ts';
import { textCheck } from './utf8.ts';

const chunkBytes = 1024 * 1024;

type Receiving = { database: Database; transact: Transact; maxBytes: number; maxQueued?: number };

/**
 * Stores a file as it comes in, a piece at a time: the sender waits while a piece is written. Nothing stays of a file that is refused or
 * broken off. Throws 413 beyond `maxBytes`, 422 when it is empty or no UTF-8, and before it is read when the organization has `maxQueued`.
 */
export async function receiveUpload(
  { database, transact, maxBytes, maxQueued }: Receiving,
  organizationId: string,
  actor: string,
  file: Readable,
): Promise<Upload> {
  const importId = await beginUpload(transact, organizationId, actor, maxQueued);
  try {
    const hash = createHash('sha256');
    const isText = textCheck();
    let bytes = 0;
    let number = 0;
    let pieces: Buffer[] = [];
    let held = 0;
    const store = async () => {
      await storeChunk(database, organizationId, importId, number, Buffer.concat(pieces));
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
    // What is still on its way is let pass unread, so that the answer finds its sender.
    file.resume();
    await dropUpload(database, organizationId, importId).catch(() => undefined);
    throw error;
  }
}

export const tooLarge = (maxBytes: number) => new AppError('payload_too_large', `The file is larger than ${maxBytes} bytes`);
const notText = () => new AppError('invalid_request', 'The file is not text in UTF-8, or holds a NUL');

/** The sender's end is their own mistake, and not an outage of ours, whatever the socket calls it. */
async function* piecesOf(file: Readable): AsyncGenerator<Buffer> {
  try {
    yield* file.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw new AppError('bad_request', 'The body did not arrive whole', { cause: error });
  }
}
