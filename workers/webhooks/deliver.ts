import { type Em, query } from '../../src/database.ts';
import type { Tx } from '../../src/ledger/transact.ts';
import { disableEndpoint } from '../../src/webhooks/endpoints.ts';
import { deliverWebhookJob } from '../../src/webhooks/jobs.ts';
import { nextDelayMs, parseRetryAfter } from '../../src/webhooks/schedule.ts';
import type { SendOutcome } from '../../src/webhooks/sender.ts';
import { sign } from '../../src/webhooks/signature.ts';
import { handle } from '../handler.ts';

type DeliveryRow = {
  id: string;
  organization_id: string;
  endpoint_id: string;
  event_id: string;
  state: string;
  is_test: boolean;
  url: string;
  headers: string | null;
  secret: string;
  type: string;
  data: Record<string, unknown>;
  event_at: string;
};

async function readDelivery(em: Em, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await query<DeliveryRow>(
    em,
    `select d.id, d.organization_id, d.endpoint_id, d.event_id, d.state, d.is_test, w.url, w.headers, w.secret, e.type, e.data, e.created_at as event_at
       from webhook_deliveries d join webhook_endpoints w on w.id = d.endpoint_id join events e on e.id = d.event_id where d.id = $1`,
    [id],
  );
  return row;
}

/** The same bytes on every try, so that a receiver may compare them. */
export const envelopeOf = ({
  event_id,
  type,
  event_at,
  organization_id,
  data,
}: Pick<DeliveryRow, 'event_id' | 'type' | 'event_at' | 'organization_id' | 'data'>) =>
  JSON.stringify({ id: event_id, type, timestamp: new Date(event_at).toISOString(), organization_id, data });

export const deliver = handle(deliverWebhookJob, async ({ delivery_id }, context) => {
  const delivery = await readDelivery(context.em, delivery_id);
  if (delivery?.state !== 'pending') return context.finish();
  const body = envelopeOf(delivery);
  const timestamp = Math.floor(Date.now() / 1000);
  const outcome = await context.sender.send({
    url: delivery.url,
    headers: {
      ...(delivery.headers && (JSON.parse(context.secrets.open(delivery.headers)) as Record<string, string>)),
      'webhook-id': delivery.event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': sign({ id: delivery.event_id, timestamp, body, secrets: [context.secrets.open(delivery.secret)] }),
    },
    body,
  });
  if (outcome.ok) return context.finish((tx) => recordAttempt(tx, delivery, outcome, 'succeeded'));

  const error = {
    code: outcome.errorClass ?? 'http',
    message: outcome.error ?? `The receiver answered ${outcome.status}`,
    provider_code: outcome.status ? String(outcome.status) : null,
  };
  if (outcome.status === 410)
    await disableEndpoint(context.ledger.transact, delivery.organization_id, delivery.endpoint_id, 'gone');
  if (delivery.is_test) return context.fail(error, { work: (tx) => recordAttempt(tx, delivery, outcome, 'failed') });
  const retryAfterMs = outcome.retryAfter ? parseRetryAfter(outcome.retryAfter, new Date()) : undefined;
  const delayMs = nextDelayMs(context.row.attempts + 1, { retryAfterMs });
  return context.again(error, {
    delayMs,
    queue: 'webhook-retries',
    work: (tx) => recordAttempt(tx, delivery, outcome, 'pending', delayMs),
  });
});

async function recordAttempt(
  tx: Tx,
  delivery: DeliveryRow,
  outcome: SendOutcome,
  state: 'succeeded' | 'failed' | 'pending',
  delayMs?: number,
) {
  const isOver = state !== 'pending' || delayMs === undefined;
  await tx.query(
    `with d as (
       update webhook_deliveries set attempts = attempts + 1, state = $3, next_attempt_at = case when $9 then null else clock_timestamp() + coalesce($10::float8, 0) * interval '1 ms' end,
              finished_at = case when $9 then clock_timestamp() end where id = $1 returning attempts)
     insert into webhook_attempts (id, organization_id, delivery_id, number, status, duration_ms, error_class, error, response_head)
     select uuidv7(), $2, $1, d.attempts, $4, $5, $6, $7, $8 from d`,
    [
      delivery.id,
      delivery.organization_id,
      state,
      outcome.status ?? null,
      Math.round(outcome.durationMs),
      outcome.errorClass ?? null,
      outcome.error ?? null,
      outcome.responseHead ?? null,
      isOver,
      delayMs ?? null,
    ],
  );
}
