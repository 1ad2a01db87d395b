import { nowDate } from '../../platform/time/clock.ts';
import type { HttpReply, LostReason } from '../../webhooks/http-caller.ts';
import { parseRetryAfter } from '../../webhooks/schedule.ts';
import type { CallOutcome } from '../actions/action.ts';
import { hiderOf } from './hidden-secrets.ts';
import { outputOf } from './reply.ts';

/** A receiver that is busy says when; it cannot park a run for ever. */
const usualWaitMs = 30_000;
const shortestWaitMs = 1_000;
const longestWaitMs = 60 * 60_000;

/** `HttpCaller` cuts it to fewer; the name of a secret may be longer than the secret. */
const maxMessage = 400;

const busy = [408, 425, 429];

/** `isRepeatable`: the call may be made again though it may have arrived. */
export function outcomeOf(reply: HttpReply, secrets: ReadonlyMap<string, string>, isRepeatable: boolean): CallOutcome {
  if (reply.kind === 'lost') return lostOutcome({ ...reply, message: hiderOf(secrets).text(reply.message, maxMessage).text });
  const { status, headers } = reply;
  const output = outputOf(reply, secrets);
  // It acted; what it said is lost. Where that does no harm it is asked again.
  if (isSuccess(status) && !reply.isWhole && isRepeatable)
    return { kind: 'failed', code: 'answer_broken', message: 'The answer broke off', output };
  if (isSuccess(status)) return { kind: 'done', output };
  const code = `http_${status}`;
  if (status < 400) return { kind: 'refused', code, message: `HTTP ${status}: redirects are not followed`, output };
  if (busy.includes(status)) return { kind: 'busy', retryAfterMs: waitOf(headers['retry-after']), message: `HTTP ${status}` };
  return { kind: status >= 500 && isRepeatable ? 'failed' : 'refused', code, message: `HTTP ${status}`, output };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

function waitOf(header: string | string[] | undefined): number {
  const asked = parseRetryAfter([header ?? []].flat()[0], nowDate()) ?? usualWaitMs;
  return Math.min(longestWaitMs, Math.max(shortestWaitMs, asked));
}

const codes: Record<LostReason, string> = {
  address: 'address_forbidden',
  request: 'request_invalid',
  connect: 'connect_failed',
  timeout: 'timeout',
  answer: 'answer_invalid',
};

function lostOutcome({ reason, message, isSent }: Extract<HttpReply, { kind: 'lost' }>): CallOutcome {
  const code = codes[reason];
  if (reason === 'address' || reason === 'request') return { kind: 'refused', code, message };
  return { kind: isSent ? 'unknown' : 'failed', code, message };
}
