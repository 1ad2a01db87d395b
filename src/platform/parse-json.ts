import { isUtf8 } from 'node:buffer';
import { AppError } from './errors.ts';

const [quote, backslash, comma, list, object, byteOrderMark] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0xfeff];

/** Counts values first: a parsed one costs a hundred times its byte. Throws 400, and 422 for too many. */
export function parseJson(bytes: Buffer, maxValues: number): unknown {
  assertFewValues(bytes, maxValues);
  return jsonIn(bytes);
}

/** Throws 422. */
export function assertFewValues(bytes: Buffer, maxValues: number): void {
  // A value takes two bytes, with its comma or bracket, so a short body cannot have too many.
  if (bytes.length <= 2 * maxValues || valuesIn(bytes, maxValues) <= maxValues) return;
  const message = `The body holds more than ${maxValues} values`;
  throw new AppError('invalid_request', message, { details: [{ location: 'body', code: 'body.values', message }] });
}

/** Nothing is an empty object. Throws 400. */
export function jsonIn(bytes: Buffer): unknown {
  // Decoding would put U+FFFD for what it cannot read, and that would be stored.
  if (!isUtf8(bytes)) throw new AppError('bad_request', 'The body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (text === '') return {};
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
  } catch {
    throw new AppError('bad_request', 'The body is not valid JSON');
  }
}

/** An upper bound: each value but the first follows a comma, bracket or brace. Stops beyond `max`. */
function valuesIn(bytes: Buffer, max: number): number {
  let values = 1;
  for (let index = 0; index < bytes.length && values <= max; index += 1) {
    const byte = bytes[index];
    if (byte === quote) index = endOfText(bytes, index + 1);
    else if (byte === comma || byte === list || byte === object) values += 1;
  }
  return values;
}

/** The place of the quote that ends a text; a long text, such as an image, is passed over at once. */
function endOfText(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash && end - 1 - slashes >= from) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return bytes.length;
}
