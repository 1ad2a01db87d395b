import { invalidField } from '../errors.ts';
import { now } from '../time/clock.ts';
import { momentMs } from '../time/moment.ts';

const dayMs = 24 * 3600 * 1000;
/** A client asks for `days` ago by its own clock, or from the midnight before. */
const slackMs = dayMs;

/** Throws 422 for a time before which nothing is kept any more: an answer would look whole and would not be. */
export function assertKept(
  since: string | undefined,
  days: number,
  { what, field = 'since', location = 'query' }: { what: string; field?: string; location?: 'query' | 'body' },
): void {
  if (since === undefined) return;
  const oldest = now() - days * dayMs;
  if (momentMs(since) >= oldest - slackMs) return;
  const from = new Date(oldest).toISOString();
  throw invalidField(field, `${what} are kept for ${days} days: ask for ${from} or later`, 'before_retention', location);
}
