import { ConfigError } from '../src/platform/config/config.ts';
import { isDatabaseAway } from '../src/platform/database/errors.ts';
import { reasonOf } from '../src/platform/log.ts';

/** What a person at a terminal reads: one line, or one a fault of the configuration. */
export function failureText(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseAway(error)) return `The database cannot be reached: ${innermost(error)}`;
  return innermost(error);
}

/** The database layer wraps its errors in the whole statement; a refused connection to several addresses has no message at all. */
function innermost(error: unknown): string {
  const { cause, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown[] };
  if (cause) return innermost(cause);
  return errors?.[0] ? innermost(errors[0]) : reasonOf(error);
}
