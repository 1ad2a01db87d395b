import { AppError } from '../../../src/platform/errors.ts';

const [quote, backslash, comma, list, object, byteOrderMark] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b, 0xfeff];

/** Counts values first: a parsed one costs a hundred times its byte. Throws 400, and 422 for too many. */
export function parseJson(bytes: Buffer, maxValues: number): unknown {
  // A value takes two bytes, with its comma or bracket, so a short body cannot have too many.
  if (bytes.length > 2 * maxValues && valuesIn(bytes, maxValues) > maxValues) {
    const message = `The body holds more than ${maxValues} values`;
    throw new AppError('invalid_request', message, { details: [{ location: 'body', code: 'body.values', message }] });
  }
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
  let isText = false;
  for (let index = 0; index < bytes.length && values <= max; index += 1) {
    const byte = bytes[index];
    if (byte === quote) isText = !isText;
    else if (isText) index += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === list || byte === object) values += 1;
  }
  return values;
}
