const deepest = 64;
export type Fault = { field: string; code: string; message: string };

function faultOf(text: string): { code: string; message: string } | undefined {
  if (text.includes('\u0000')) return { code: 'string.nul', message: 'The NUL character is not allowed' };
  if (!text.isWellFormed()) return { code: 'string.unicode', message: 'Half a surrogate pair is not a character' };
  return undefined;
}

/** Where a value cannot be stored: PostgreSQL's text holds neither NUL nor half a surrogate pair, and a key `__proto__` is lost on the way. */
export function faultIn(value: unknown, field = '', depth = 0): Fault | undefined {
  if (typeof value === 'string') {
    const fault = faultOf(value);
    return fault && { field, ...fault };
  }
  if (value === null || typeof value !== 'object') return undefined;
  if (depth > deepest) {
    const message = `Nested deeper than ${deepest} levels`;
    return { field: field.slice(0, 200), code: 'object.depth', message };
  }
  for (const [key, entry] of Object.entries(value)) {
    const own = Array.isArray(value) ? `${field}[${key}]` : field ? `${field}.${key}` : key;
    const fault = key === '__proto__' ? { code: 'object.unknown', message: `${own} is not allowed` } : faultOf(key);
    const found = fault ? { field: own, ...fault } : faultIn(entry, own, depth + 1);
    if (found) return found;
  }
  return undefined;
}
