const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Before attempts 1 to 10, each from the end of the attempt before: 75.6 h in all, as Standard Webhooks advises. */
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

/**
 * A delivery that fails now was made no longer ago, whatever its receiver asked for by Retry-After (some 102 h) and however slow its attempts
 * were: how far back a recover begins that names no other time. The console and the runbook say the same number.
 */
export const recoverDays = 7;

export interface NextDelay {
  retryAfterMs?: number;
  random?: () => number;
}

/** Undefined: no attempts left. `retryAfterMs` delays an attempt at most to the next step: receivers cannot park it. */
export function nextDelayMs(attempt: number, { retryAfterMs, random = Math.random }: NextDelay = {}): number | undefined {
  if (!Number.isInteger(attempt) || attempt < 1) throw new RangeError('attempt counts the attempts already made, from 1');
  const step = DELAYS_MS[attempt];
  if (step === undefined) return undefined;
  const longest = DELAYS_MS[attempt + 1] ?? step;
  const asked = retryAfterMs === undefined || Number.isNaN(retryAfterMs) ? 0 : retryAfterMs;
  const wait = Math.ceil(Math.max(step, Math.min(asked, longest)));
  // Jitter, so that receivers who name a time are not hit by all at once.
  return wait + Math.floor(random() * Math.min(wait * JITTER_SHARE, MAX_JITTER_MS));
}

// The three date forms of HTTP. Date.parse alone would take '5.5' or '-1' for a date.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? [\w -]+ \d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/;

/** Milliseconds from `now`; 0 for a past date, undefined when unreadable. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * SECOND;
  if (!HTTP_DATE.test(text)) return undefined;
  // The oldest form (asctime) means GMT without naming it; Date.parse would take the local zone.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
