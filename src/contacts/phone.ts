import Joi from 'joi';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** E.164 from what a client wrote; undefined when no phone can be called so. `isValid` would refuse numbers providers really hand out. */
export function toE164(text: string): string | undefined {
  const digits = text.replace(/[\s().-]/g, '');
  const parsed = parsePhoneNumberFromString(digits.startsWith('+') ? digits : `+${digits}`);
  return parsed?.isPossible() ? parsed.number : undefined;
}

export const phoneNumber = Joi.string()
  .trim()
  .max(32)
  .custom((text: string, helpers) => toE164(text) ?? helpers.error('phone.possible'))
  .messages({ 'phone.possible': '{{#label}} must be a phone number in international format' })
  .description('Phone number in international format, with or without +');
