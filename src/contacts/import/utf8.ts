import { isUtf8 } from 'node:buffer';

/** Bytes at the end of a piece that begin a character and do not finish it. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Whether pieces of a file are text that the database takes, UTF-8 without NUL, wherever the pieces are cut. Call without one at the end. */
export function textCheck(): (piece?: Buffer) => boolean {
  let rest = Buffer.alloc(0);
  return (piece) => {
    if (!piece) return rest.length === 0;
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    const left = unfinished(bytes);
    rest = Buffer.from(bytes.subarray(bytes.length - left));
    return !piece.includes(0) && isUtf8(bytes.subarray(0, bytes.length - left));
  };
}
