import { AppError } from './errors.ts';

/** Throws 409, which names the present revision. `seen`: the one that the change was made from. */
export function assertRevision(what: string, present: number, seen: number | undefined): void {
  if (seen === undefined || seen === present) return;
  const message = `The ${what} was changed meanwhile: its revision is ${present}`;
  throw new AppError('conflict', message, {
    details: [{ field: 'revision', location: 'body', code: 'revision.stale', message, value: String(present) }],
  });
}
