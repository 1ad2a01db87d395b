import { cut } from '../../platform/cut.ts';
import { AppError } from '../../platform/errors.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';

/** What a step itself is at fault for, or what it names: asked again, it would be the same. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && !(error instanceof LocksOutdated) && error.status < 500;

/** With the places that are at fault. */
export function errorOf({ code, message, details = [] }: AppError): JobError {
  const named = details.map((one) =>
    one.field && !one.message.startsWith(`${one.field}:`) ? `${one.field}: ${one.message}` : one.message,
  );
  const isWhole = details.some((one) => one.message === message);
  const more = named.filter((text) => text !== message);
  return { code, message: cut([...(isWhole && more.length > 0 ? [] : [message]), ...more.slice(0, 5)].join('; '), 1_000) };
}

/** The step whose write was refused: what its transaction wrote is undone. */
export class StepRefused extends Error {
  readonly number: number;
  readonly error: JobError;
  readonly input: unknown;

  constructor({ number, input }: { number: number; input?: unknown }, error: JobError) {
    super(error.message);
    this.number = number;
    this.input = input;
    this.error = error;
  }
}
