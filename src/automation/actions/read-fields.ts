import type Joi from 'joi';
import { phoneContext } from '../../contacts/identities/named-phones.ts';
import type { PhoneContext } from '../../contacts/identities/phone.ts';
import { zoneContext } from '../../organizations/timezone.ts';
import type { Own } from '../../platform/database/own.ts';
import type { ZoneContext } from '../../platform/schemas/moment.ts';

type Context = Partial<PhoneContext & ZoneContext>;

/**
 * What an action's texts gave, as its schema reads it. Liquid calculates with numbers, and an amount is a text of digits: a whole number is taken as a text where
 * one is wanted, as Joi takes a text of digits where a number is.
 */
export function readFields<Read>(
  schema: Joi.Schema<Read>,
  given: Record<string, unknown>,
  context?: Context,
): Joi.ValidationResult<Read> {
  const read = schema.validate(given, { abortEarly: true, context });
  if (!read.error) return read;
  const { error } = schema.validate(given, { abortEarly: false, context });
  const numbers = (error?.details ?? []).filter(
    ({ type, context }) => type === 'string.base' && Number.isSafeInteger(context?.value),
  );
  if (numbers.length === 0) return read;
  const copy = structuredClone(given);
  for (const { path, context: at } of numbers) setAt(copy, path, String(at!.value));
  return schema.validate(copy, { abortEarly: true, context });
}

/** As readFields; a number of a stored person is one, whatever the plans of countries say, and a day is one in the organization's zone. */
export async function readFieldsFor<Read>(
  own: Own,
  schema: Joi.Schema<Read>,
  given: Record<string, unknown>,
): Promise<Joi.ValidationResult<Read>> {
  const read = readFields(schema, given);
  const { error } = read.error ? schema.validate(given, { abortEarly: false }) : read;
  if (!error) return read;
  return readFields(schema, given, { ...(await phoneContext(own, error)), ...(await zoneContext(own, error)) });
}

function setAt(whole: Record<string, unknown>, path: (string | number)[], text: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], whole);
  (holder as Record<string, unknown>)[path.at(-1)!] = text;
}
