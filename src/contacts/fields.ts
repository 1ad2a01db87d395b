import Joi from 'joi';
import { invalidField } from '../platform/errors.ts';

/** An empty text changes nothing. A null in `custom_fields` removes the field. */
export type ContactFields = {
  phone_number?: string;
  name?: string;
  email?: string;
  external_source?: string;
  external_id?: string;
  custom_fields?: Record<string, unknown>;
};

export const contactName = Joi.string().trim().max(200).description('As people call the contact');
export const contactEmail = Joi.string()
  .trim()
  .email({ tlds: false })
  .max(254)
  .description('Case does not matter for finding it');
export const externalSource = Joi.string().trim().max(100).description('The system the external id is of');
export const externalId = Joi.string().trim().max(255).description('The id the contact has there');

/** Of all custom fields together, as JSON. */
export const maxCustomBytes = 16_384;
export const maxCustomKeys = 200;
const maxKeyLength = 128;
/** Properties of every object: code that copies field by field would change them instead. */
const reserved = new Set(['__proto__', 'constructor', 'prototype']);

/** It names a CSV column, so it does not end in a blank. */
export const customFieldKey = /^\P{Cc}{1,128}(?<!\s)$/u;

/** The database writes all digits of a number: 1e300 has 301. */
const digits = (_key: string, value: unknown) => {
  const [mantissa, exponent] = typeof value === 'number' ? String(value).split('e') : [];
  return exponent ? '0'.repeat(mantissa!.length + Math.abs(Number(exponent))) : value;
};

/** The size as read from the database: otherwise a page of contacts full of 1e300 would be 700 MB. */
function bytesOfCustom(fields: object): number {
  const text = JSON.stringify(fields);
  return Buffer.byteLength(/\de[+-]/.test(text) ? JSON.stringify(fields, digits) : text);
}

/** After a change the fields must still be valid for a new contact, so that an export can be imported. */
export function faultOfCustom(fields: object): { code: string; message: string } | undefined {
  if (Object.keys(fields).length > maxCustomKeys)
    return { code: 'custom.many', message: `custom_fields would be more than ${maxCustomKeys}` };
  if (bytesOfCustom(fields) > maxCustomBytes)
    return { code: 'custom.size', message: `custom_fields would be larger than ${maxCustomBytes} bytes as JSON` };
  return undefined;
}

/** What names one custom field. */
export const customFieldName = Joi.string()
  .max(maxKeyLength)
  .pattern(customFieldKey)
  .invalid(...reserved)
  .messages({ 'string.pattern.base': '{{#label}} must not have a control character, nor a blank at its end' });

export const customFields = Joi.object()
  .unknown()
  .max(maxCustomKeys)
  .custom((fields: Record<string, unknown>, { error }) => {
    const keys = Object.keys(fields);
    const bad = keys.find((key) => reserved.has(key));
    if (bad) return error('custom.reserved', { bad });
    if (keys.some((key) => !customFieldKey.test(key))) return error('custom.key', { maxKeyLength });
    return bytesOfCustom(fields) > maxCustomBytes ? error('custom.size', { maxCustomBytes }) : fields;
  })
  .messages({
    'custom.reserved': '{{#label}} must not have a field named {{#bad}}',
    'custom.key':
      '{{#label}} must have names of 1 to {{#maxKeyLength}} characters, none of them a control character, the last no blank',
    'custom.size': '{{#label}} must not be larger than {{#maxCustomBytes}} bytes as JSON',
  })
  .description('Fields of your own, any JSON; merged by name, and null removes one');

/** A null removes a field. Throws 422 where a limit is exceeded; what was too large before may lose fields. */
export function mergedCustom(before: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  const merged = Object.fromEntries(Object.entries({ ...before, ...given }).filter(([, value]) => value !== null));
  const fault = faultOfCustom(merged);
  if (fault && Object.values(given).some((value) => value !== null))
    throw invalidField('custom_fields', fault.message, fault.code);
  return merged;
}

/** Of the size's bound: a name takes some 16 bytes with its value. */
const maxMetadataKeys = 1_000;

/** An object of the integrator's own: Kanal does not look into it. */
export const metadata = Joi.object()
  .unknown()
  .max(maxMetadataKeys)
  .custom((bag: object, { error }) => {
    const bad = Object.keys(bag).find((key) => reserved.has(key));
    if (bad) return error('custom.reserved', { bad });
    return bytesOfCustom(bag) > maxCustomBytes ? error('custom.size', { maxCustomBytes }) : bag;
  })
  .messages({
    'custom.reserved': '{{#label}} must not have a field named {{#bad}}',
    'custom.size': '{{#label}} must not be larger than {{#maxCustomBytes}} bytes as JSON',
  })
  .description('Any object of your own; replaced whole');

export const foldedEmail = (email: string) => email.toLowerCase();
