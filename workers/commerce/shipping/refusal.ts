import { AppError } from '../../../src/platform/errors.ts';

/** What a rule refuses is final, and no fault of ours. */
export function orRefusal(error: unknown): AppError {
  if (error instanceof AppError && error.status < 500) return error;
  throw error;
}
