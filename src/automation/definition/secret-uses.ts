import { changeOf } from '../../liquid/kept-whole.ts';
import type { ErrorDetail, Path } from '../../platform/errors.ts';
import { inBody } from './shape.ts';

/**
 * A mark stands for a secret until the moment of the call, so a filter would work on the mark: what it gives is sent in place of the value, and no receiver
 * takes it. Each text that does so, at its path.
 */
export function* secretUseFaults(value: unknown, path: Path): Generator<ErrorDetail> {
  const change = typeof value === 'string' ? changeOf('secrets', value) : undefined;
  if (change) yield inBody(path, 'secret.changed', `A secret stands for itself: ${change}`);
  if (value === null || typeof value !== 'object') return;
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [name, one] of entries) yield* secretUseFaults(one, [...path, name]);
}
