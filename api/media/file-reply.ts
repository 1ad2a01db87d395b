import { create as contentDisposition } from 'content-disposition';
import Joi from 'joi';
import parseRange from 'range-parser';
import type { AssetRow } from '../../src/media/find.ts';
import { isShownInline } from '../../src/media/kinds.ts';
import { type ByteRange, FileMissing, type Storage } from '../../src/media/storage/storage.ts';
import { AppError, notFound } from '../../src/platform/errors.ts';
import type { Reply } from '../http/endpoint.ts';
import { view } from '../http/view.ts';

/** A reply that is the file of an asset, of any type. */
export const file = view(Joi.string().meta({ contentType: '*/*' }), 'Deliveries are at the back door.\n');

/** What a browser may do with it: nothing, and where it is shown, to show it. */
const attached = "default-src 'none'; sandbox";
const shown = "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox";

type Asked = { header(name: string): string | undefined; isInline: boolean };

/** Whole, in part (`Range`) or not at all, when the client has it (`If-None-Match`). Files never change. */
export async function fileReply(storage: Storage, asset: AssetRow, { header, isInline }: Asked): Promise<Reply> {
  const bytes = Number(asset.size_bytes);
  const etag = `"${asset.sha256}"`;
  const isShown = isInline && isShownInline(asset.mime_type);
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': contentDisposition(shownName(asset.file_name), { type: isShown ? 'inline' : 'attachment' }),
    'Content-Security-Policy': isShown ? shown : attached,
  };
  if (namesTag(header('if-none-match'), etag)) return { status: 304, headers };
  const range = rangeIn(header('range'), header('if-range'), { bytes, etag });
  const stream = await storage.get(asset.storage_key, range).catch((error) => {
    throw error instanceof FileMissing ? notFound("The media asset's file") : error;
  });
  const { start, end } = range ?? { start: 0, end: bytes - 1 };
  return {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'Content-Type': asset.mime_type,
      'Content-Length': String(end - start + 1),
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${bytes}` }),
    },
    stream,
  };
}

const namesTag = (header: string | undefined, etag: string) =>
  (header ?? '').split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);

/** Undefined: the whole file, for several ranges too. Throws 416 for one behind its end. */
function rangeIn(
  header: string | undefined,
  ifRange: string | undefined,
  { bytes, etag }: { bytes: number; etag: string },
): ByteRange | undefined {
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const ranges = parseRange(bytes, header, { combine: true });
  if (ranges === -1)
    throw new AppError('range_not_satisfiable', `The file has ${bytes} bytes`, {
      headers: { 'Content-Range': `bytes */${bytes}` },
    });
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

/** Characters that hide what a name ends in: controls, and those that turn the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const hiding = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const shownName = (name: string) => (name === '' ? undefined : name.replace(hiding, '_'));
