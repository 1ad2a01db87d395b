import { isUtf8 } from 'node:buffer';

/** The length of an unfinished character at the end. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Also refuses NUL, which PostgreSQL's text cannot hold. Call without a piece at the end. */
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
