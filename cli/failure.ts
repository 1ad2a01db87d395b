import { ConfigError } from '../src/platform/config/config.ts';
import { isDatabaseAway } from '../src/platform/database/errors.ts';
import { reasonOf } from '../src/platform/log.ts';

/** The text for a terminal: one line, or one for each fault of the configuration. */
export function failureText(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (isDatabaseAway(error)) return `The database cannot be reached: ${innermost(error)}`;
  return innermost(error);
}

/** The database layer puts the whole statement into its errors; a refused connection to several addresses has no message. */
export function innermost(error: unknown): string {
  const { cause, errors } = (error ?? {}) as { cause?: unknown; errors?: unknown[] };
  if (cause) return innermost(cause);
  return errors?.[0] ? innermost(errors[0]) : reasonOf(error);
}
