import Joi from 'joi';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/**
 * E.164 from what a client wrote; undefined when no phone can be called so. `isValid` would refuse numbers providers really hand out, as
 * some of +1; but without + a national number would be taken for one of another country, so there it must be one that is given out, or
 * have as many digits as no national number: a provider's own spelling, which an event told and a client sends back.
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

const longestPhone = 32;

export const phoneNumber = Joi.string()
  .trim()
  .max(longestPhone)
  // That it is too long is told already, and 1 MiB of it takes long to read.
  .custom((text: string, helpers) => (text.length > longestPhone ? text : (toE164(text) ?? helpers.error('phone.possible'))))
  .messages({ 'phone.possible': '{{#label}} must be a phone number in international format' })
  .description('Phone number in international format, with or without +');
