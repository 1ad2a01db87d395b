import { AppError, fieldOf, maxDetails, type Path } from '../platform/errors.ts';

export type Fault = { path: Path; code: string; message: string };

/** A 422 that names each of them, at its place in the body. */
export function throwFaults(faults: Fault[]): void {
  const [first] = faults;
  if (!first) return;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new AppError('invalid_request', `${first.message}${more}`, {
    details: faults.slice(0, maxDetails).map(({ path, code, message }) => ({
      field: fieldOf(path),
      location: 'body',
      code,
      message,
    })),
  });
}
