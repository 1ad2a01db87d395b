import { createRequire } from 'node:module';
import Joi from 'joi';

type Library = typeof import('libphonenumber-js/max');

/** With the metadata of all countries it is 90 files: loaded with the first number, not at the start. */
let library: Library | undefined;
function parsePhoneNumberFromString(text: string) {
  library ??= createRequire(import.meta.url)('libphonenumber-js/max') as Library;
  return library.parsePhoneNumberFromString(text);
}

/**
 * E.164, or undefined. `isValid` refuses numbers that providers assign, some of +1: after + or 1 a possible number is enough.
 * Otherwise a national number would pass as a foreign one: it must be valid, or as long as a provider's spelling in events.
 */
export function toE164(text: string): string | undefined {
  if (text.length > maxPhoneLength) return read(text);
  if (recent.has(text)) return recent.get(text);
  const number = read(text);
  if (recent.size >= maxRecent) recent.clear();
  recent.set(text, number);
  return number;
}

const maxPhoneLength = 32;
/** A number of +1 takes 50 µs, as all its countries are tried: a file of one phone is not to take 20,000 times as long. */
const recent = new Map<string, string | undefined>();
const maxRecent = 500;

function read(text: string): string | undefined {
  const digits = text.replace(/[\s().-]/g, '');
  const isWhole = digits.startsWith('+');
  const parsed = parsePhoneNumberFromString(isWhole ? digits : `+${digits}`);
  if (!parsed?.isPossible() || parsed.ext) return undefined;
  const isClear = isWhole || parsed.countryCallingCode === '1' || parsed.isValid() || providerSpelling.test(text.trim());
  return isClear ? parsed.number : undefined;
}

const providerSpelling = /^[1-9]\d{11,14}$/;

export const phoneNumber = Joi.string()
  .trim()
  .max(maxPhoneLength)
  // A longer text has its error already, and 1 MiB takes long to parse.
  .custom((text: string, helpers) => (text.length > maxPhoneLength ? text : (toE164(text) ?? helpers.error('phone.possible'))))
  .messages({ 'phone.possible': '{{#label}} must be a phone number in international format' })
  .description('Phone number in international format, with or without +');
