import { AppError } from '../platform/errors.ts';

const [quote, backslash, comma, minus, bracket, brace] = [0x22, 0x5c, 0x2c, 0x2d, 0x5b, 0x7b] as const;
/** 1 for each byte that a number may have after its first. */
const inNumber = new Uint8Array(256);
for (const byte of Buffer.from('0123456789.eE+-')) inNumber[byte] = 1;
/** The longest integer that is exact in any case. */
const exactDigits = 15;
/** A part that a provider sends has some 40 values. */
const valuesOfPart = 100;

/**
 * The JSON of a signed body. Its values are counted before anything is made of them: 4 MiB can hold two million, which a parser keeps the
 * process busy with for seconds. Throws `payload_too_large` beyond 100 for each of `maxParts`, and what JSON.parse throws.
 *
 * Ids come as numbers too, and may be larger than a number holds exactly: such a one is kept as it was written.
 */
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

/** Where the quote stands that ends the text which begins at `at`. */
function endOfText(bytes: Buffer, begin: number): number {
  let at = begin + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
