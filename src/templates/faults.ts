import { AppError, type ErrorCode, fieldOf, maxDetails, type Path } from '../platform/errors.ts';

export type Fault = { path: Path; code: string; message: string };

/** A 422 that names each of them, at its place in the body. */
export function throwFaults(faults: Fault[], errorCode: ErrorCode = 'invalid_request'): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new AppError(errorCode, `${first.message}${more}`, {
    details: faults.slice(0, maxDetails).map(({ path, code, message }) => ({
      field: fieldOf(path),
      location: 'body',
      code,
      message,
    })),
  });
}
