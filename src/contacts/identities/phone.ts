import Joi from 'joi';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * E.164 from what a client wrote; undefined when it cannot be a phone. `isValid` would refuse numbers that providers really assign, as some
 * of +1. But without + a national number would be taken for one of another country, so there it must be a valid one, or have more digits
 * than a national number has: a provider's own spelling, which a client read in an event and sends back.
 */
export function toE164(text: string): string | undefined {
  const digits = text.replace(/[\s().-]/g, '');
  const isWhole = digits.startsWith('+');
  const parsed = parsePhoneNumberFromString(isWhole ? digits : `+${digits}`);
  if (!parsed?.isPossible() || parsed.ext) return undefined;
  const isClear = isWhole || parsed.countryCallingCode === '1' || parsed.isValid() || providerSpelling.test(text.trim());
  return isClear ? parsed.number : undefined;
}

const providerSpelling = /^[1-9]\d{11,14}$/;

const maxPhoneLength = 32;

export const phoneNumber = Joi.string()
  .trim()
  .max(maxPhoneLength)
  // One that is too long has its error already, and 1 MiB of it takes long to parse.
  .custom((text: string, helpers) => (text.length > maxPhoneLength ? text : (toE164(text) ?? helpers.error('phone.possible'))))
  .messages({ 'phone.possible': '{{#label}} must be a phone number in international format' })
  .description('Phone number in international format, with or without +');
