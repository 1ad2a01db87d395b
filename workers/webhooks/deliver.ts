import type { Source } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { query } from '../../src/platform/database/query.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { envelopeOf } from '../../src/platform/events/envelope.ts';
import type { Event } from '../../src/platform/events/event.entity.ts';
import { isPaced, mayRunNow, paceParts, type Turn } from '../../src/platform/ledger/pace.ts';
import type { Part, PartText } from '../../src/platform/ledger/part.ts';
import { isWithinWidth, type RunRow, runColumns } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import { now, nowDate } from '../../src/platform/time/clock.ts';
import type { Delivery, WebhookEndpoint } from '../../src/webhooks/endpoint.entity.ts';
import { endSpell, judgeSpell, type Spell, spellBegins } from '../../src/webhooks/health.ts';
import { deliverWebhookJob } from '../../src/webhooks/jobs.ts';
import type { PhaseTimes } from '../../src/webhooks/phase-clock.ts';
import { triggerOfAttempt } from '../../src/webhooks/replay/trigger.ts';
import { nextDelayMs, parseRetryAfter } from '../../src/webhooks/schedule.ts';
import type { SendOutcome } from '../../src/webhooks/sender.ts';
import { sign } from '../../src/webhooks/signature.ts';
import { disableEndpoint } from '../../src/webhooks/switch-endpoint.ts';
import { sentBy } from '../../src/webhooks/test-endpoint.ts';
import { type Claimed, handle, type Outcome, type RunContext } from '../handler.ts';
import { deliveryFacts } from './delivery-facts.ts';

type DeliveryRow = RowOf<
  typeof Delivery,
  'organization_id' | 'endpoint_id' | 'event_id' | 'is_test' | 'asked_by' | 'asked_after'
> &
  RowOf<typeof WebhookEndpoint, 'url' | 'headers' | 'secret' | 'previous_secret' | keyof Spell> &
  RowOf<typeof Event, 'type' | 'data'> & { delivery_id: string; event_at: string; attempts_before: number };

const deliveryColumns = `
  d.id as delivery_id, d.organization_id, d.endpoint_id, d.event_id, d.is_test, d.asked_by, d.asked_after, d.attempts as attempts_before,
  w.url, w.headers, w.secret,
  case when w.previous_secret_until > clock_timestamp() then w.previous_secret end as previous_secret,
  w.failing_since, w.failing_told_at,
  e.type, e.data, e.created_at as event_at`;
const deliveryJoins = `
  join webhook_endpoints w on w.organization_id = d.organization_id and w.id = d.endpoint_id
  join events e on e.organization_id = d.organization_id and e.id = d.event_id`;

/** SQL: the columns and joins of the claim, for a run that did not claim. */
async function readDelivery(own: Own, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await own.sql<DeliveryRow>(
    `select ${deliveryColumns}
       from webhook_deliveries d ${deliveryJoins}
      where d.organization_id = $1 and d.id = $2 and d.state = 'pending'`,
    [id],
  );
  return row;
}

const deletedMs = 5_000;

const isPending = `
  j.slot_at is not null and ${isWithinWidth}
  and exists (
    select 1 from webhook_deliveries o
     where o.organization_id = j.organization_id and o.id = j.subject_id and o.state = 'pending')`;

/** SQL: checks the run and its pool's pace, and reads all that a delivery needs (bench: deliver). */
const claimStatement = `
  with ${paceParts(isPending, { freesRoom: false })},
  claimed as (
    select ${runColumns}, ${deliveryColumns}
      from jobs j
      left join pools p on p.organization_id = j.organization_id and p.id = j.pool
      join webhook_deliveries d on d.organization_id = j.organization_id and d.id = j.subject_id ${deliveryJoins}
     where j.organization_id = $1 and j.id = $2 and j.run = $3
       and ${mayRunNow} and ${isPaced} and j.slot_at is not null and ${isWithinWidth} and d.state = 'pending')
  select claimed.*, (select wait_ms from turn) as wait_ms
    from (select 1) one
    left join claimed on true`;

/** Claims only a turn of the rate limit: a webhook may be delivered twice, and receivers deduplicate by its id. */
async function claimDelivery(source: Source, { organization_id, id, run }: RunRef): Promise<Claimed<DeliveryRow>> {
  const [row] = await query<(RunRow & DeliveryRow & Turn) | ({ id: null } & Turn)>(source, claimStatement, [
    organization_id,
    id,
    run,
  ]);
  if (row!.id !== null) return { row: row!, claimed: row! };
  return row!.wait_ms === null ? undefined : { waitMs: row!.wait_ms };
}

/** Both sign while a rotation's overlap lasts. */
const secretsOf = ({ secret, previous_secret }: DeliveryRow, secrets: Secrets) =>
  (previous_secret === null ? [secret] : [secret, previous_secret]).map((sealed) => secrets.open(sealed));

type Context = RunContext<DeliveryRow | undefined>;

export const deliver = handle<{ delivery_id: string }, DeliveryRow>(deliverWebhookJob, run, claimDelivery);

async function run({ delivery_id }: { delivery_id: string }, context: Context): Promise<Outcome> {
  const delivery = context.claimed ?? (await readDelivery(context.own, delivery_id));
  if (!delivery) return context.finish();
  // Deleted just before: the job that cancels what waits finds this one then.
  if (delivery.secret === '') return context.wait(deletedMs, { reason: 'the endpoint was deleted' });
  // The same bytes in every attempt, so that a receiver may compare them; an erasure alone changes what the event holds.
  const told = delivery.is_test ? sentBy(delivery) : delivery;
  const body = JSON.stringify(envelopeOf({ ...told, id: delivery.event_id, created_at: delivery.event_at }));
  const timestamp = Math.floor(now() / 1000);
  const { sender } = context;
  const outcome = await context.outside(() =>
    sender.send({
      url: delivery.url,
      headers: {
        ...(delivery.headers && (JSON.parse(context.secrets.open(delivery.headers)) as Record<string, string>)),
        'webhook-id': delivery.event_id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': sign({ id: delivery.event_id, timestamp, body, secrets: secretsOf(delivery, context.secrets) }),
      },
      body,
    }),
  );
  const ended = await (outcome.ok ? succeeded : refused)(delivery, outcome, context);
  context.deliveryMetrics.attempted(ended.kind, outcome.errorClass, delivery.is_test);
  Object.assign(context.facts, deliveryFacts(delivery, outcome, ended));
  return ended;
}

/** The receiver has answered, and that must be written: what follows for its endpoint is found again by the next attempt. */
const orNextTime = (context: Context, { endpoint_id }: DeliveryRow, work: Promise<unknown>) =>
  work.catch((err) => context.log.warn({ err, endpoint_id }, 'the state of a webhook endpoint is left to its next attempt'));

async function succeeded(delivery: DeliveryRow, outcome: SendOutcome, context: Context): Promise<Outcome> {
  if (delivery.failing_since) await orNextTime(context, delivery, endSpell(context.transact, delivery.endpoint_id));
  return context.finish(attemptOf(delivery, outcome, 'succeeded', { onlyWithEnd: true }));
}

async function refused(delivery: DeliveryRow, outcome: SendOutcome, context: Context): Promise<Outcome> {
  const shown = shownOutcome(outcome);
  if (shown !== outcome) {
    const { errorClass, error: reason } = outcome;
    context.log.warn({ endpoint_id: delivery.endpoint_id, error_class: errorClass, reason }, 'webhook address refused');
  }
  const error = {
    code: shown.errorClass ?? 'http',
    message: shown.error ?? `The receiver answered ${shown.status}`,
    provider_code: shown.status ? String(shown.status) : null,
  };
  if (outcome.status === 410)
    await orNextTime(
      context,
      delivery,
      disableEndpoint(context.transact, delivery.endpoint_id, { reason: 'gone', url: delivery.url }),
    );
  // A test is asked for while a receiver is being set up: its failure says nothing about the others.
  if (delivery.is_test) return context.fail(error, { work: async (tx) => tx.include(attemptOf(delivery, shown, 'failed')) });
  await orNextTime(context, delivery, judgeSpell(context.transact, delivery.endpoint_id, delivery, context.config));
  const retryAfterMs = outcome.retryAfter ? parseRetryAfter(outcome.retryAfter, nowDate()) : undefined;
  const delayMs = nextDelayMs(context.row.attempts + 1, { retryAfterMs });
  return context.again(error, {
    delayMs,
    queue: 'webhook-retries',
    work: async (tx) => {
      tx.include(attemptOf(delivery, shown, 'pending', { delayMs }));
      if (!delivery.failing_since) tx.include(spellBegins(delivery.organization_id, delivery.endpoint_id));
    },
  });
}

/** Shows addresses inside our network as failed DNS: a tenant could probe names. Log and metrics show the difference. */
export const shownOutcome = (outcome: SendOutcome): SendOutcome =>
  outcome.errorClass === 'ssrf' || outcome.errorClass === 'dns'
    ? { ...outcome, errorClass: 'dns', error: 'the host has no public address', phase: 'dns', phases: undefined }
    : outcome;

/** SQL: parts of the ledger's statement (bench: deliver). */
const attemptText =
  (condition: string): PartText =>
  (id, organization, state, status, durationMs, errorClass, error, responseHead, isOver, delayMs, phase, phases) =>
    `
  tried as (
    update webhook_deliveries
       set attempts = attempts + 1,
           state = case when ${isOver} then ${state} else state end,
           finished_at = case when ${isOver} then clock_timestamp() else finished_at end,
           next_attempt_at = case
             when not ${isOver} and state = 'pending' then clock_timestamp() + coalesce(${delayMs}::float8, 0) * interval '1 ms' end
     where organization_id = ${organization} and id = ${id}${condition}
    returning attempts, endpoint_id, ${triggerOfAttempt} as trigger),
  attempt as (
    insert into webhook_attempts (
      id, organization_id, delivery_id, endpoint_id, number, status, duration_ms, error_class, error, response_head,
      phase, phases, trigger)
    select uuidv7(), ${organization}::uuid, ${id}, tried.endpoint_id, tried.attempts, ${status}::int, ${durationMs}::int,
           ${errorClass}, ${error}, ${responseHead}, ${phase}, ${phases}::jsonb,
           tried.trigger
      from tried)`;
const attemptTexts = { always: attemptText(''), withEnd: attemptText(' and exists (select 1 from ended)') };

/** `onlyWithEnd`: writes only if it ends the job's row. */
function attemptOf(
  delivery: DeliveryRow,
  outcome: SendOutcome,
  state: 'succeeded' | 'failed' | 'pending',
  { delayMs, onlyWithEnd = false }: { delayMs?: number; onlyWithEnd?: boolean } = {},
): Part {
  // Without a delay the schedule is exhausted.
  const isOver = state !== 'pending' || delayMs === undefined;
  return {
    text: onlyWithEnd ? attemptTexts.withEnd : attemptTexts.always,
    onlyWithEnd,
    params: [
      delivery.delivery_id,
      delivery.organization_id,
      state === 'pending' ? 'failed' : state,
      outcome.status ?? null,
      Math.round(outcome.durationMs),
      outcome.errorClass ?? null,
      outcome.error ?? null,
      outcome.responseHead ?? null,
      isOver,
      delayMs ?? null,
      outcome.phase ?? null,
      phasesOf(outcome.phases),
    ],
  };
}

/** To the tenth of a millisecond. */
function phasesOf(phases: PhaseTimes | undefined): string | null {
  return phases ? JSON.stringify(phases, (_, ms) => (typeof ms === 'number' ? Math.round(ms * 10) / 10 : ms)) : null;
}
