import type { Attempt } from '../../src/messaging/attempts.ts';
import type { AttemptError } from '../../src/messaging/message-attempt.entity.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { ProviderBusy, ProviderError, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../src/providers/errors.ts';
import type { RunContext } from '../handler.ts';

type Row = Pick<RunContext['row'], 'id' | 'run'>;

function classOf(error: unknown): AttemptError {
  if (error instanceof ProviderRefused) return error.stopsChannel ? 'channel_refused' : 'refused';
  if (error instanceof ProviderBusy) return 'busy';
  return error instanceof ProviderFailed ? 'unavailable' : 'no_answer';
}

/** A try of a send that threw. */
export const attemptBy = (error: unknown, durationMs: number, { id, run }: Row): Attempt => ({
  outcome: error instanceof ProviderUnknown ? 'unknown' : 'failed',
  errorClass: classOf(error),
  providerCode: error instanceof ProviderError ? error.providerCode : null,
  reason: reasonOf(error),
  durationMs,
  job: { id, run },
});

/** Whose outcome nobody wrote down, unless somebody did. */
export const lostAttempt = ({ id, run }: Row): Attempt => ({
  outcome: 'unknown',
  errorClass: 'lost',
  reason: 'The worker ended before the provider answered',
  job: { id, run },
});
