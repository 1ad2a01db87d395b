import { maxCopied, maxText } from './limits.ts';

export const contactFields = [
  ...['id', 'name', 'phone_number', 'email', 'language', 'tags', 'custom_fields'],
  ...['external_source', 'external_id', 'created_at'],
] as const;
export const campaignFields = ['id', 'name'] as const;

export type ContactData = { [Field in (typeof contactFields)[number]]?: unknown };
/** `recipient`: the columns `param.<name>` of its line in the file. */
export type RenderData = {
  contact: ContactData;
  recipient: Record<string, unknown>;
  campaign: { id: string; name: string };
};

const valueCost = 16;

type Copied = { left: number };

/**
 * What texts may see: copies without prototypes, of bounded size. What is empty is left out, so that `if` and `default` take an empty field
 * and a missing one alike.
 */
export function scopeOf({ contact, recipient, campaign }: RenderData): Record<string, unknown> {
  const copied = { left: maxCopied };
  return plain({
    contact: record(only(contact, contactFields), copied, 0),
    recipient: record(recipient, copied, 0),
    campaign: record(only(campaign, campaignFields), copied, 0),
  });
}

const only = (from: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(fields.filter((field) => Object.hasOwn(from, field)).map((field) => [field, from[field]]));

const plain = (fields: Record<string, unknown>): Record<string, unknown> => Object.assign(Object.create(null), fields);

function record(from: object, copied: Copied, depth: number): Record<string, unknown> {
  const fields = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of Object.entries(from)) {
    const copy = copyOf(value, copied, depth + 1);
    if (copy !== undefined) fields[name] = copy;
  }
  return fields;
}

function copyOf(value: unknown, copied: Copied, depth: number): unknown {
  copied.left -= valueCost + (typeof value === 'string' ? value.length : 0);
  if (copied.left < 0) return undefined;
  if (typeof value === 'string') return value === '' ? undefined : value.slice(0, maxText);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (value === null || typeof value !== 'object' || depth > 3) return undefined;
  if (!Array.isArray(value)) return record(value, copied, depth);
  const list = value.map((one) => copyOf(one, copied, depth + 1)).filter((one) => one !== undefined);
  return list.length > 0 ? list : undefined;
}
