import type { Readable } from 'node:stream';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { AppError, invalidField } from '../platform/errors.ts';
import { numberFault } from '../platform/kept-numbers.ts';
import { assertFewValues, jsonIn } from '../platform/parse-json.ts';
import { piecesOf } from '../platform/pieces.ts';
import { sha256 } from '../platform/secrets.ts';
import { faultIn } from '../platform/storable.ts';
import type { FlowJson } from './document/flow-json.ts';
import { limits, maxDocumentValues } from './document/limits.ts';

export const maxDocumentBytes = limits.documentBytes.max;

const tooLarge = () => new AppError('payload_too_large', `A document has ${maxDocumentBytes} bytes at most`);

/** Throws 413 at the first byte too many, 400 for what is no JSON, 422 for what cannot be kept. */
export async function readDocument(stream: Readable, announced: number): Promise<{ flowJson: FlowJson; hash: Buffer }> {
  if (announced > maxDocumentBytes) throw tooLarge();
  const bytes = await whole(stream);
  if (bytes.length === 0) throw new AppError('bad_request', 'The body is not valid JSON');
  const hash = sha256(bytes);
  await turnOfOthers();
  assertFewValues(bytes, maxDocumentValues);
  await turnOfOthers();
  const document = jsonIn(bytes);
  await turnOfOthers();
  const fault = faultIn(document) ?? numberFault(bytes);
  if (fault) throw invalidField(fault.field.replaceAll('\u0000', '?').toWellFormed(), fault.message, fault.code);
  if (document === null || typeof document !== 'object' || Array.isArray(document))
    throw invalidField('', 'The document must be an object', 'object.base');
  return { flowJson: document as FlowJson, hash };
}

async function whole(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of piecesOf(stream)) {
    length += piece.length;
    if (length > maxDocumentBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
