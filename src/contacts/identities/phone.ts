import { createRequire } from 'node:module';
import Joi from 'joi';
import { otherSpelling } from './phone-spellings.ts';

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
  if (text.length > maxReadLength) return undefined;
  if (text.length > maxPhoneLength) return read(text);
  if (recent.has(text)) return recent.get(text);
  const number = read(text);
  if (recent.size >= maxRecent) recent.clear();
  recent.set(text, number);
  return number;
}

const maxPhoneLength = 32;
/** The library refuses longer texts. A filter's value has up to 65,536 characters, and `;` in a row took seconds to look through. */
const maxReadLength = 250;
/** A number of +1 takes 50 µs, as all its countries are tried: a file of one phone is not to take 20,000 times as long. */
const recent = new Map<string, string | undefined>();
const maxRecent = 500;

function read(text: string): string | undefined {
  const pasted = withoutMarks(text);
  const digits = pasted.replace(/[\s().\u2010-\u2015\u2212-]/g, '');
  const isWhole = digits.startsWith('+');
  const whole = isWhole ? digits : `+${digits}`;
  const parsed = parsePhoneNumberFromString(whole);
  if (parsed?.ext) return undefined;
  if (!parsed?.isPossible()) return isOldForm(whole, isWhole) ? whole : undefined;
  const isClear = isWhole || parsed.countryCallingCode === '1' || parsed.isValid() || providerSpelling.test(pasted);
  return isClear ? parsed.number : undefined;
}

/** As people paste it: with marks of direction and no width, in full-width digits, as a link, with the prefix of calls abroad. */
function withoutMarks(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim();
  const linked = /^tel:/i.test(plain) ? plain.slice('tel:'.length).replace(/;(?!ext=).*$/i, '') : plain;
  return linked.replace(/^00\s?(?=[1-9])/, '+');
}

/** A form that today's plan of the country no longer has, as the provider still writes it. */
function isOldForm(whole: string, isWhole: boolean): boolean {
  const other = otherSpelling(whole.slice(1));
  const parsed = other === undefined ? undefined : parsePhoneNumberFromString(`+${other}`);
  return isWhole ? parsed?.isPossible() === true : parsed?.isValid() === true;
}

/** Where no plan knows the number, as a provider could have named it; undefined: it is no number. */
export function phoneCandidate(text: string): string | undefined {
  if (text.length > maxPhoneLength) return undefined;
  const digits = withoutMarks(text)
    .replace(/[\s().\u2010-\u2015\u2212-]/g, '')
    .replace(/^\+/, '');
  return /^[1-9]\d{4,19}$/.test(digits) ? `+${digits}` : undefined;
}

/** What a validation may know of numbers (named-phones.ts): a number of a stored person is accepted, whatever the plans say. */
export type PhoneContext = { namedPhones: ReadonlySet<string> };

/** As `toE164`, or the number of a stored person. */
export const phoneIn = (text: string, context: Joi.Context | undefined): string | undefined =>
  toE164(text) ?? namedIn(text, context);

function namedIn(text: string, context: Joi.Context | undefined): string | undefined {
  const { namedPhones } = (context ?? {}) as Partial<PhoneContext>;
  const candidate = namedPhones && phoneCandidate(text);
  return candidate !== undefined && namedPhones?.has(candidate) ? candidate : undefined;
}

const providerSpelling = /^[1-9]\d{11,14}$/;

export const phoneNumber = Joi.string()
  .trim()
  .max(maxPhoneLength)
  // A longer text has its error already, and 1 MiB takes long to parse.
  .custom((text: string, helpers) =>
    text.length > maxPhoneLength ? text : (phoneIn(text, helpers.prefs.context) ?? helpers.error('phone.possible')),
  )
  .messages({ 'phone.possible': '{{#label}} must be a phone number in international format' })
  .description('Phone number in international format, with or without +');
