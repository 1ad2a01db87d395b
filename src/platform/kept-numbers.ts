import { type Fault, faultIn } from './storable.ts';

const [quote, backslash, minus, zero, nine] = [0x22, 0x5c, 0x2d, 0x30, 0x39];
/** A number of so many characters and without an exponent always stays as it is. */
const alwaysKept = 15;
/** A longer one has more digits than a number can have. */
const neverKept = 1_000;

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= nine;
/** Of a number, once it has begun: digits, `.`, `e`, `E`, `+` and `-`. */
const goesOn = (byte: number | undefined) =>
  isDigit(byte) || byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === minus;

/** `12.50` and `1.25e1` are the same: the digits without zeros at both ends, and the power of ten of the last one. */
function exactOf(number: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number)!;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === zero) length -= 1;
  return length === 0 ? '0' : `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

function isKept(number: string): boolean {
  if (number.length > neverKept) return false;
  const value = Number(number);
  const size = Math.abs(value);
  if (number.length <= alwaysKept && size > 1e-300 && size < 1e300) return true;
  return Number.isFinite(value) && exactOf(number) === exactOf(String(value));
}

type Place = { start: number; end: number };

/** The first number that would become another one. Each byte is read once; the inside of a text is not read as numbers. */
function firstLost(json: Buffer): Place | undefined {
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index]!;
    if (byte === quote) {
      for (index += 1; index < json.length && json[index] !== quote; index += 1) if (json[index] === backslash) index += 1;
    } else if (byte === minus || isDigit(byte)) {
      const start = index;
      let hasExponent = false;
      while (goesOn(json[index + 1])) {
        index += 1;
        if (json[index] === 0x65 || json[index] === 0x45) hasExponent = true;
      }
      const end = index + 1;
      if ((end - start > alwaysKept || hasExponent) && !isKept(json.toString('latin1', start, end))) return { start, end };
    }
  }
  return undefined;
}

/**
 * A number of valid JSON that cannot be kept: too large (`1e400` becomes null), or with more digits than JavaScript holds. Its path is found by a text in its place
 * that cannot be stored either.
 */
export function numberFault(json: Buffer): Fault | undefined {
  const lost = firstLost(json);
  if (!lost) return undefined;
  const marked = `${json.toString('utf8', 0, lost.start)}"\\u0000"${json.toString('utf8', lost.end)}`;
  const fault = faultIn(JSON.parse(marked.charCodeAt(0) === 0xfeff ? marked.slice(1) : marked));
  // Undefined: the same name comes again, and takes its place.
  if (!fault) return undefined;
  const message = `${fault.field || 'The body'} is a number that cannot be kept as it is: send it as a text`;
  return { field: fault.field, code: 'number.unsafe', message };
}
