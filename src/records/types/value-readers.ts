import Joi from 'joi';
import { foldedEmail } from '../../contacts/fields.ts';
import { toE164 } from '../../contacts/identities/phone.ts';
import { isAmountMinor } from '../../money/amounts.ts';
import { isCurrency } from '../../money/currencies.ts';
import { isUuid } from '../../platform/ids.ts';
import { faultIn } from '../../platform/storable.ts';
import { isMoment, momentMs, toMoment } from '../../platform/time/moment.ts';
import { type Field, isLeaving } from './definition.ts';
import type { FieldType } from './type.entity.ts';

type Fault = { at?: string; code: string; message: string };
export type Read = { value: unknown } | Fault;
export const isFault = (read: Read): read is Fault => 'message' in read;

const fault = (code: string, message: string, at?: string): Fault => ({ at, code, message });

/** Where the field names no `max_length`, and the most it may name. */
export const maxLengths = { text: 1_000, long_text: 20_000, url: 2_048, email: 254, phone: 32 } as const;
/** A unique text is compared by its index row, which has so many characters. */
export const maxIndexedCharacters = 200;
/** The database writes every digit of a number: 1e300 has 301. */
const maxNumber = 1e30;
export const maxJsonDepth = 32;

/** What a record has no value of. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);

/** The value as stored, or what is wrong with it. The value is none of null, an empty text and an empty list. */
export const readerOf = (field: Field) => (value: unknown) => readers[field.type](value, field);

const readers: Record<FieldType, (value: unknown, field: Field) => Read> = {
  text: readText,
  long_text: readText,
  number: readNumber,
  integer: (value, field) =>
    Number.isSafeInteger(value) ? readNumber(value, field) : fault('number.integer', 'must be an integer up to 2^53 - 1'),
  boolean: (value) => (typeof value === 'boolean' ? { value } : fault('boolean.base', 'must be a boolean')),
  date: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && toMoment(value)
      ? { value }
      : fault('date.format', 'must be a date such as 2026-11-25'),
  datetime: readTime,
  select: (value, field) => readOption(value, field),
  multi_select: readOptions,
  email: (value) => {
    const { error, value: address } = emailAddress.validate(value);
    return error ? fault('string.email', 'must be an email address') : { value: foldedEmail(address) };
  },
  phone: (value) => {
    const number = typeof value === 'string' && value.length <= maxLengths.phone ? toE164(value) : undefined;
    return number ? { value: number } : fault('phone.possible', 'must be a phone number in international format');
  },
  url: (value, field) => {
    const text = readText(value, field);
    return isFault(text) || isWebAddress(text.value as string) ? text : fault('string.uri', 'must be an http or https address');
  },
  currency: readMoney,
  user: (value) =>
    typeof value === 'string' && isUuid(value)
      ? { value: value.toLowerCase() }
      : fault('string.guid', 'must be the id of a user'),
  json: readJson,
};

const emailAddress = Joi.string().trim().email({ tlds: false }).max(maxLengths.email).required();

function readText(value: unknown, { type, maxLength, isUnique }: Field): Read {
  if (typeof value !== 'string') return fault('string.base', 'must be a string');
  const bad = faultIn(value);
  if (bad) return fault(bad.code, `has a character that is not allowed: ${bad.message}`);
  const text = type === 'long_text' ? value : value.trim();
  const most = Math.min(maxLength ?? Number.POSITIVE_INFINITY, isUnique ? maxIndexedCharacters : Number.POSITIVE_INFINITY);
  const limit = Math.min(most, maxLengths[type as keyof typeof maxLengths]);
  if (text.length > limit) return fault('string.max', `must not be longer than ${limit} characters`);
  return { value: text };
}

function readNumber(value: unknown, { min, max }: Field): Read {
  if (typeof value !== 'number' || !Number.isFinite(value)) return fault('number.base', 'must be a number');
  const size = Math.abs(value);
  if (size > maxNumber || (size > 0 && size < 1 / maxNumber))
    return fault('number.unsafe', 'must be between 1e-30 and 1e30, or 0');
  if (min !== null && value < min) return fault('number.min', `must be ${min} or more`);
  if (max !== null && value > max) return fault('number.max', `must be ${max} or less`);
  // JSON has no -0.
  return { value: value === 0 ? 0 : value };
}

function readTime(value: unknown): Read {
  const wrong = fault('date.format', 'must be an ISO 8601 time with its zone');
  return typeof value === 'string' && isMoment(value) ? { value: new Date(momentMs(value)).toISOString() } : wrong;
}

function readOption(value: unknown, { options }: Field, at?: string): Read {
  const kept = options.filter((option) => !isLeaving(option));
  if (kept.some((option) => option.value === value)) return { value };
  const shown = kept.slice(0, 20).map((option) => option.value);
  return fault('any.only', `must be one of ${shown.join(', ')}${kept.length > shown.length ? ', …' : ''}`, at);
}

function readOptions(value: unknown, field: Field): Read {
  if (!Array.isArray(value)) return fault('array.base', 'must be a list of options');
  if (value.length > field.options.length || new Set(value).size < value.length)
    return fault('array.unique', 'must name each option once');
  const reads = value.map((one, index) => readOption(one, field, `[${index}]`));
  return reads.find(isFault) ?? { value };
}

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/\S+$/i.test(text)) return false;
  return URL.canParse(text);
}

function readMoney(value: unknown): Read {
  const { amount_minor: amount, currency_code: currency, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (typeof value !== 'object' || Array.isArray(value) || Object.keys(rest).length > 0)
    return fault('object.base', 'must be an object of amount_minor and currency_code');
  if (typeof amount !== 'string' || !isAmountMinor(amount))
    return fault(
      'string.pattern.base',
      'must be a string of digits up to 9223372036854775807, without a leading zero',
      '.amount_minor',
    );
  if (typeof currency !== 'string' || !isCurrency(currency))
    return fault('any.only', 'must be an ISO 4217 code such as EUR', '.currency_code');
  return { value: { amount_minor: amount, currency_code: currency } };
}

function readJson(value: unknown): Read {
  const bad = faultIn(value);
  if (bad) return fault(bad.code, bad.message, bad.field && `.${bad.field}`);
  if (depthOf(value) > maxJsonDepth) return fault('object.depth', `must not be nested deeper than ${maxJsonDepth} levels`);
  return hasOnlyNumbers(value) ? { value } : fault('number.unsafe', 'must have numbers between 1e-30 and 1e30 only');
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((most: number, one) => Math.max(most, depthOf(one)), 0)
    : 0;

function hasOnlyNumbers(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isFinite(value) && (value === 0 || (Math.abs(value) <= maxNumber && Math.abs(value) >= 1 / maxNumber));
  return typeof value !== 'object' || value === null || Object.values(value).every(hasOnlyNumbers);
}
