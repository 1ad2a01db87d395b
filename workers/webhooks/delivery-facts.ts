import { now } from '../../src/platform/time/clock.ts';
import { type Asked, triggerOf } from '../../src/webhooks/replay/trigger.ts';
import type { SendOutcome } from '../../src/webhooks/sender.ts';
import type { Outcome } from '../handler.ts';

type Delivery = { event_id: string; endpoint_id: string; type: string } & Asked;

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

const phaseFields = (phases: NonNullable<SendOutcome['phases']>) =>
  Object.fromEntries(Object.entries(phases).map(([phase, ms]) => [`${phase}_ms`, Math.round(ms * 10) / 10]));
