import type { ErrorDetail, Path } from '../../platform/errors.ts';
import { maxDefinitionBytes } from '../limits.ts';
import { inBody } from './shape.ts';

/** Branches in branches, conditions in conditions and JSON in values are far less deep, each with a limit of its own. */
const maxJsonDepth = 64;

/** What is looked at before anything else: the rest takes its time by the size, and the stack by the depth. */
export function sizeFault(given: unknown): ErrorDetail | undefined {
  const wrong = wrongWithin(given);
  if (wrong) return wrong;
  if (bytesOf(given) <= maxDefinitionBytes) return undefined;
  const members = Array.isArray(given) || typeof given !== 'object' ? [] : Object.entries(given as object);
  const sizes = members.map(([name, value]) => ({ name, bytes: bytesOf(value) })).sort((one, other) => other.bytes - one.bytes);
  const largest = sizes.slice(0, 1).map(({ name }) => name);
  return inBody(largest, 'definition.too_large', `A definition has at most ${maxDefinitionBytes} bytes as JSON`);
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** A loop over a list of its own: recursion is what it is about. */
function wrongWithin(given: unknown): ErrorDetail | undefined {
  const open: { value: unknown; path: Path }[] = [{ value: given, path: [] }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, path } = one;
    if (value === null || typeof value !== 'object') continue;
    if (path.length >= maxJsonDepth) return inBody(path, 'definition.too_deep', `A definition is at most ${maxJsonDepth} deep`);
    // A copy of such an object inherits from the value: fields would be there that nobody gave.
    if (Object.hasOwn(value, '__proto__'))
      return inBody([...path, '__proto__'], 'object.unknown', 'Nothing in a definition is called __proto__');
    const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [name, item] of entries) open.push({ value: item, path: [...path, name] });
  }
  return undefined;
}
