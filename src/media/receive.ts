import { createHash } from 'node:crypto';
import { AppError } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { storageKeyOf } from './asset-id.ts';
import { storableName } from './file-name.ts';
import { canBe, kindOf, limitOf, type MediaKind, typesOf } from './kinds.ts';
import { headBytes, isAnimatedWebp, sniffedType, typeIn } from './sniff.ts';
import type { Pieces, Storage } from './storage/storage.ts';

export type IncomingFile = {
  /** Destroyed when it is refused before its end, if it is a stream. */
  stream: AsyncIterable<Buffer>;
  /** The content type its sender gave it. */
  declaredType?: string;
  fileName?: string;
  /** What it must be; otherwise its content decides. */
  kind?: MediaKind;
};

/** A file in the storage that no row names yet. */
export type ReceivedFile = {
  id: string;
  storageKey: string;
  kind: MediaKind;
  mimeType: string;
  declaredType: string;
  fileName: string;
  bytes: number;
  sha256: string;
};

/** Streams to the storage at its pace. Throws 413 above its kind's limit, 422 for an empty file or one of another kind. */
export function receiveFile(storage: Storage, organizationId: string, file: IncomingFile): Promise<ReceivedFile> {
  return reading(file, async ({ pieces, about }) => {
    const id = uuidv7();
    const storageKey = storageKeyOf(organizationId, id);
    await storage.put(storageKey, pieces);
    return { id, storageKey, ...about() };
  });
}

export type FileFacts = Omit<ReceivedFile, 'id' | 'storageKey'>;

/** Reads a file to its end and keeps nothing: what it is, for a comparison with an earlier one. */
export function factsOf(file: IncomingFile): Promise<FileFacts> {
  return reading(file, async ({ pieces, about }) => {
    for await (const _ of pieces);
    return about();
  });
}

type Reading = { pieces: Pieces; about(): FileFacts };

async function reading<Result>(file: IncomingFile, work: (read: Reading) => Promise<Result>): Promise<Result> {
  const source = file.stream[Symbol.asyncIterator]();
  try {
    return await work(await readingOf(source, file));
  } finally {
    // Not awaited: a source that waits for its sender ends when it comes or breaks.
    source.return?.().catch(() => undefined);
  }
}

async function readingOf(source: AsyncIterator<Buffer>, { declaredType: header, fileName, kind: wanted }: IncomingFile) {
  const head = await headOf(source);
  if (head.length === 0) throw new AppError('invalid_request', 'The file is empty');
  const declaredType = typeIn(header);
  const mimeType = await sniffedType(head.subarray(0, headBytes), declaredType);
  const kind = wanted ?? kindOf(mimeType);
  if (!canBe(kind, mimeType)) throw otherKind(kind, mimeType);
  const limit = limitOf(kind, isAnimatedWebp(head));
  const hash = createHash('sha256');
  let bytes = 0;
  async function* counted() {
    for (let piece: Buffer | undefined = head; piece; piece = (await source.next()).value) {
      bytes += piece.length;
      if (bytes > limit) throw tooLarge(kind, mimeType, limit);
      hash.update(piece);
      yield piece;
    }
  }
  const about = (): FileFacts => ({
    ...{ kind, mimeType, declaredType, bytes },
    sha256: hash.digest('hex'),
    fileName: storableName(fileName),
  });
  return { pieces: counted(), about };
}

async function headOf(source: AsyncIterator<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let held = 0; held < headBytes; held += pieces.at(-1)!.length) {
    const { value, done } = await source.next();
    if (done) break;
    pieces.push(value);
  }
  return Buffer.concat(pieces);
}

const otherKind = (kind: MediaKind, mimeType: string) =>
  new AppError(
    'invalid_request',
    `The file is ${mimeType}, and a file of kind ${kind} is one of ${typesOf(kind).join(', ')}; kind=document takes any file`,
  );

const tooLarge = (kind: MediaKind, mimeType: string, limit: number) =>
  new AppError(
    'payload_too_large',
    `A file of kind ${kind} has ${limit} bytes at most${kind === 'document' ? '' : `: with kind=document this ${mimeType} may have more`}`,
  );
