import { fieldOf, type Path } from './errors.ts';

const maxDepth = 64;
export type Fault = { field: string; code: string; message: string };
type Found = { path: Path; code: string; message?: string };

function faultOf(text: string): { code: string; message: string } | undefined {
  if (text.includes('\u0000')) return { code: 'string.nul', message: 'The NUL character is not allowed' };
  if (!text.isWellFormed()) return { code: 'string.unicode', message: 'Half a surrogate pair is not a character' };
  return undefined;
}

/** PostgreSQL's text holds neither NUL nor half a surrogate pair; a key `__proto__` is lost on the way. */
export function faultIn(value: unknown): Fault | undefined {
  const found = search(value, 0);
  if (!found) return undefined;
  const field = fieldOf(found.path);
  return { field, code: found.code, message: found.message ?? `${field} is not allowed` };
}

/** The path is built only on the way back from a fault: a valid value costs none. */
function search(value: unknown, depth: number): Found | undefined {
  if (typeof value === 'string') {
    const fault = faultOf(value);
    return fault && { path: [], ...fault };
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth > maxDepth) return { path: [], code: 'object.depth', message: `Nested deeper than ${maxDepth} levels` };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const found = search(value[index], depth + 1);
      if (found) return within(index, found);
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return { path: [key], code: 'object.unknown' };
    const fault = faultOf(key);
    if (fault) return { path: [key], ...fault };
    const found = search((value as Record<string, unknown>)[key], depth + 1);
    if (found) return within(key, found);
  }
  return undefined;
}

function within(step: string | number, found: Found): Found {
  found.path.unshift(step);
  return found;
}
