import type Joi from 'joi';
import { phoneContext } from '../../contacts/identities/named-phones.ts';
import type { PhoneContext } from '../../contacts/identities/phone.ts';
import type { Own } from '../../platform/database/own.ts';

/**
 * What an action's texts gave, as its schema reads it. Liquid calculates with numbers, and an amount is a text of digits: a whole number is taken as a text where
 * one is wanted, as Joi takes a text of digits where a number is.
 */
export function readFields<Read>(
  schema: Joi.Schema<Read>,
  given: Record<string, unknown>,
  phones?: PhoneContext,
): Joi.ValidationResult<Read> {
  const read = schema.validate(given, { abortEarly: true, context: phones });
  if (!read.error) return read;
  const { error } = schema.validate(given, { abortEarly: false });
  const numbers = (error?.details ?? []).filter(
    ({ type, context }) => type === 'string.base' && Number.isSafeInteger(context?.value),
  );
  if (numbers.length === 0) return read;
  const copy = structuredClone(given);
  for (const { path, context } of numbers) setAt(copy, path, String(context!.value));
  return schema.validate(copy, { abortEarly: true, context: phones });
}

/** As readFields; a number of a stored person is one, whatever the plans of countries say. */
export async function readFieldsFor<Read>(
  own: Own,
  schema: Joi.Schema<Read>,
  given: Record<string, unknown>,
): Promise<Joi.ValidationResult<Read>> {
  const read = readFields(schema, given);
  const phones = read.error && (await phoneContext(own, read.error));
  return phones ? readFields(schema, given, phones) : read;
}

function setAt(whole: Record<string, unknown>, path: (string | number)[], text: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], whole);
  (holder as Record<string, unknown>)[path.at(-1)!] = text;
}
