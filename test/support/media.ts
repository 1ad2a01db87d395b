import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A JPEG by its content, as large as asked. */
export const jpeg = (bytes = 2_000) => padded('ffd8ffe000104a46494600010100000100010000', bytes);
export const png = (bytes = 2_000) =>
  padded('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000049454e44ae426082', bytes);
/** `isAnimated`: with the extended header and its flag. */
export const webp = (bytes = 2_000, isAnimated = false) =>
  padded(`5249464600000000574542505650385${isAnimated ? '8' : '8'}0a000000${isAnimated ? '02' : '00'}000000000000000000`, bytes);
export const mp4 = (bytes = 2_000) => padded('0000001c6674797069736f6d0000020069736f6d69736f326d703431', bytes);
/** An MP4 by the brand that its maker writes: `M4A `, `M4V `. */
export const branded = (brand: string, bytes = 2_000) =>
  padded(`0000001c66747970${Buffer.from(brand).toString('hex')}0000020069736f6d69736f326d703431`, bytes);
export const ogg = (bytes = 2_000) =>
  padded('4f676753000200000000000000000000000000000000000000000113' + '4f70757348656164' + '0101380180bb0000000000', bytes);
export const mp3 = (bytes = 2_000) => padded('fffb9064', bytes);
export const pdf = (bytes = 2_000) => padded(Buffer.from('%PDF-1.7\n%\n').toString('hex'), bytes);

export const zip = () => padded(`504b0506${'00'.repeat(18)}`, 22);

function padded(hex: string, bytes: number): Buffer {
  const head = Buffer.from(hex, 'hex');
  return Buffer.concat([head, Buffer.alloc(Math.max(0, bytes - head.length), 1)]);
}

export async function* inPieces(bytes: Buffer, size = 64 * 1024): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}

export function mediaFolder() {
  const path = mkdtempSync(join(tmpdir(), 'kanal-media-'));
  return {
    path,
    /** All files in it, unfinished ones too, by their paths from it. */
    files: () => filesIn(path),
    drop: () => rmSync(path, { recursive: true, force: true }),
  };
}

export const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .sort();
