import type Joi from 'joi';

/**
 * What an action's texts gave, as its schema reads it. Liquid calculates with numbers, and an amount is a text of digits: a whole number is taken as a text where
 * one is wanted, as Joi takes a text of digits where a number is.
 */
export function readFields<Read>(schema: Joi.Schema<Read>, given: Record<string, unknown>): Joi.ValidationResult<Read> {
  const read = schema.validate(given, { abortEarly: true });
  if (!read.error) return read;
  const { error } = schema.validate(given, { abortEarly: false });
  const numbers = (error?.details ?? []).filter(
    ({ type, context }) => type === 'string.base' && Number.isSafeInteger(context?.value),
  );
  if (numbers.length === 0) return read;
  const copy = structuredClone(given);
  for (const { path, context } of numbers) setAt(copy, path, String(context!.value));
  return schema.validate(copy, { abortEarly: true });
}

function setAt(whole: Record<string, unknown>, path: (string | number)[], text: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((part, step) => (part as Record<string, unknown>)[step], whole);
  (holder as Record<string, unknown>)[path.at(-1)!] = text;
}
