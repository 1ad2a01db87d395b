import type Joi from 'joi';
import { maxDetails, type Path } from '../errors.ts';

/** The part of Joi's description that is about sizes. */
type Described = {
  type?: string;
  flags?: { unknown?: boolean };
  rules?: { name: string; args?: { limit?: number } }[];
  keys?: Record<string, Described>;
  items?: Described[];
  patterns?: unknown[];
  matches?: { ref?: { path: string[] }; switch?: { is: { allow: unknown[] }; then?: Described }[] }[];
};
/** Returns what is too large, and adds unknown keys to `unknown`. */
type Check = (value: unknown, path: Path, unknown: Path[]) => SizeFault | undefined;

const maxOf = ({ rules = [] }: Described) => rules.find(({ name }) => name === 'max')?.args?.limit ?? Number.POSITIVE_INFINITY;

function checkOf(described: Described): Check | undefined {
  if (described.type === 'array') return checkOfArray(described);
  if (described.type === 'object') return checkOfObject(described);
  if (described.type === 'alternatives') return checkOfVariants(described);
  return undefined;
}

/** As `variantsBy` describes them; a value of none of them has no fields to look into. */
function checkOfVariants({ matches: [match] = [] }: Described): Check {
  const field = match?.ref?.path[0] ?? '';
  const checks = new Map<unknown, Check | undefined>(
    match?.switch?.map(({ is, then }) => [is.allow.find((value) => typeof value === 'string'), then && checkOf(then)]),
  );
  return (value, path, unknown) =>
    typeof value === 'object' && value !== null
      ? checks.get((value as Record<string, unknown>)[field])?.(value, path, unknown)
      : undefined;
}

function checkOfArray(described: Described): Check {
  const max = maxOf(described);
  const item = described.items?.[0] && checkOf(described.items[0]);
  return (value, path, unknown) => {
    if (!Array.isArray(value)) return undefined;
    if (value.length > max) return { path, code: 'array.max', what: `must have at most ${max} items` };
    if (!item) return undefined;
    for (const [index, one] of value.entries()) {
      const fault = item(one, [...path, index], unknown);
      if (fault) return fault;
    }
    return undefined;
  };
}

function checkOfObject(described: Described): Check {
  const { keys, flags, patterns } = described;
  const max = maxOf(described);
  const isOpen = keys === undefined || flags?.unknown === true || patterns !== undefined;
  const known = new Map(Object.entries(keys ?? {}).map(([key, child]) => [key, checkOf(child)]));
  return (value, path, unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const own = Object.keys(value);
    if (own.length > max) return { path, code: 'object.max', what: `must have at most ${max} fields` };
    for (const key of own) {
      const check = known.get(key);
      const fault = check?.((value as Record<string, unknown>)[key], [...path, key], unknown);
      if (fault) return fault;
      if (!isOpen && !known.has(key)) unknown.push([...path, key]);
    }
    return undefined;
  };
}

export type SizeFault = { path: Path; code: string; what: string };

/**
 * Checks sizes before Joi does: Joi counts last, and each fault it reports costs some 10 µs. Returns the first list or object that is too large, or else unknown
 * fields where there are more than a reply names: none for what Joi may validate.
 */
export function sizesOf(schema: Joi.Schema): (value: unknown) => SizeFault[] {
  const check = checkOf(schema.describe() as Described);
  return (value) => {
    const unknown: Path[] = [];
    const large = check?.(value, [], unknown);
    if (large) return [large];
    return unknown.length > maxDetails ? unknown.map((path) => ({ path, code: 'object.unknown', what: 'is not allowed' })) : [];
  };
}
