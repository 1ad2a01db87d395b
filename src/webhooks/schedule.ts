const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Delay before try 1, 2, … 10, each counted from the end of the try before it: 75.6 h in all, as Standard Webhooks advises. */
export const DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const JITTER_SHARE = 0.1;
const MAX_JITTER_MS = 15 * MINUTE;

export interface NextDelay {
  /** What the receiver asked for, see `parseRetryAfter`. */
  retryAfterMs?: number;
  /** 0 ≤ x < 1. */
  random?: () => number;
}

/**
 * Milliseconds to wait after `attempt` tries (≥ 1), or undefined when the schedule is exhausted.
 *
 * The receiver's wish moves a try later, never earlier than its step, and at most to the length of the next step: a
 * receiver can slow its deliveries down, but not park them for weeks. The last step has no longer one after it, so
 * it stays. Jitter comes on top (10 %, at most 15 min), so that receivers who name a time are not met by a herd.
 */
export function nextDelayMs(attempt: number, { retryAfterMs, random = Math.random }: NextDelay = {}): number | undefined {
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError('attempt counts the tries already made, from 1');
  const step = DELAYS_MS[attempt];
  if (step === undefined) return undefined;
  const longest = DELAYS_MS[attempt + 1] ?? step;
  const asked = retryAfterMs === undefined || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  const wait = Math.ceil(Math.max(step, Math.min(asked, longest)));
  return wait + Math.floor(random() * Math.min(wait * JITTER_SHARE, MAX_JITTER_MS));
}

// The three date forms HTTP knows. Date.parse alone would take '5.5' or '-1' for a date.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/;

/** Milliseconds from `now` that a `Retry-After` header asks for, 0 for a past date, undefined when unreadable. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND;
  if (!HTTP_DATE.test(text)) return undefined;
  // The oldest form (asctime) names no zone and means GMT; Date.parse would take the local one.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
