import { AppError } from '../platform/errors.ts';

const [quote, backslash, comma, minus, bracket, brace] = [0x22, 0x5c, 0x2c, 0x2d, 0x5b, 0x7b] as const;
const inNumber = new Uint8Array(256);
for (const byte of Buffer.from('0123456789.eE+-')) inNumber[byte] = 1;
/** Any integer with so many digits is exact. */
const exactDigits = 15;
/** The provider's own parts have some 40 values. */
const valuesOfPart = 100;

/** Counts values before it parses: 4 MiB can hold two million, which take seconds. Keeps integers that are not exact as text. */
export function readBody(bytes: Buffer, maxParts: number): unknown {
  const pieces: string[] = [];
  let kept = 0;
  let values = 1;
  const maxValues = maxParts * valuesOfPart;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfText(bytes, at);
    else if (byte === comma || byte === bracket || byte === brace) {
      values += 1;
      if (values > maxValues) throw new AppError('payload_too_large', `The body has more than ${maxValues} values`);
    } else if (byte === minus || (byte >= 0x30 && byte <= 0x39)) {
      const begin = at;
      while (inNumber[bytes[at + 1]!]) at += 1;
      const text = at - begin < exactDigits ? '' : bytes.toString('latin1', begin, at + 1);
      if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) {
        pieces.push(bytes.toString('utf8', kept, begin), `"${text}"`);
        kept = at + 1;
      }
    }
  }
  pieces.push(bytes.toString('utf8', kept));
  return JSON.parse(pieces.join(''));
}

function endOfText(bytes: Buffer, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
