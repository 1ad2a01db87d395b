import { now } from '../../src/platform/time/clock.ts';
import type { SendOutcome } from '../../src/webhooks/sender.ts';
import type { Outcome } from '../handler.ts';

type Delivery = { event_id: string; endpoint_id: string; type: string; is_test: boolean } & Asked;

/** What the log line of an attempt says beside the job's own fields: never a header, a body or an address. */
export function deliveryFacts(
  delivery: Delivery,
  { status, errorClass, phase, phases, durationMs }: SendOutcome,
  ended: Outcome,
) {
  return {
    event_id: delivery.event_id,
    event_type: delivery.type,
    endpoint_id: delivery.endpoint_id,
    trigger: triggerOf(delivery),
    status,
    error_class: errorClass,
    phase,
    request_ms: durationMs,
    ...phaseFields(phases ?? {}),
    ...(ended.kind === 'again' && { next_attempt_at: new Date(now() + ended.delayMs).toISOString() }),
  };
}

type Asked = { asked_by: string | null; asked_after: number | null; attempts_before: number };

/** As `triggerOfAttempt`, before the attempt was counted. */
const triggerOf = ({ is_test, asked_by, asked_after, attempts_before }: Asked & { is_test: boolean }) => {
  if (asked_by !== null && asked_after === attempts_before) return asked_by;
  return is_test ? 'test' : 'schedule';
};

const phaseFields = (phases: NonNullable<SendOutcome['phases']>) =>
  Object.fromEntries(Object.entries(phases).map(([phase, ms]) => [`${phase}_ms`, Math.round(ms * 10) / 10]));
