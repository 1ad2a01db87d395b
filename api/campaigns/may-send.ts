import type { Caller } from '../../src/organizations/caller.ts';
import { AppError } from '../../src/platform/errors.ts';

export const maySendNote = 'Needs the scope `messages:write` too.';

/** Throws 403, which names the scope. */
export function assertMaySend({ scopes }: Caller): void {
  if (scopes.has('messages:write')) return;
  throw new AppError('forbidden', 'The credential lacks the scope messages:write, which sending needs too');
}
