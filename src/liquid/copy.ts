import { cut } from '../platform/cut.ts';

const valueCost = 16;

/** `characters`: of all copies, in which a value without a length counts as 16. `text`: of one text, which is cut there. */
export type CopyBounds = { characters: number; text: number; depth: number };

/**
 * What texts may see: copies without prototypes, of bounded size. What is empty is left out, so that `if` and `default` take an empty field
 * and a missing one alike. So is what is beyond the bounds. `sources`: of each list and object, what it was copied from, whole.
 */
export function plainCopy(
  roots: Record<string, object>,
  bounds: CopyBounds,
  sources?: WeakMap<object, object>,
): Record<string, unknown> {
  let left = bounds.characters;
  const scope = Object.create(null) as Record<string, unknown>;
  for (const [name, root] of Object.entries(roots)) scope[name] = record(root, 0);
  return scope;

  function record(from: object, depth: number): Record<string, unknown> {
    const fields = Object.create(null) as Record<string, unknown>;
    sources?.set(fields, from);
    for (const [name, value] of Object.entries(from)) {
      const copy = copyOf(value, depth + 1);
      if (copy !== undefined) fields[name] = copy;
    }
    return fields;
  }

  function copyOf(value: unknown, depth: number): unknown {
    left -= valueCost + (typeof value === 'string' ? value.length : 0);
    if (left < 0) return undefined;
    if (typeof value === 'string') return value === '' ? undefined : cut(value, bounds.text);
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
    if (value === null || typeof value !== 'object' || depth > bounds.depth) return undefined;
    if (!Array.isArray(value)) return record(value, depth);
    const list = value.map((one) => copyOf(one, depth + 1)).filter((one) => one !== undefined);
    sources?.set(list, value);
    return list.length > 0 ? list : undefined;
  }
}
