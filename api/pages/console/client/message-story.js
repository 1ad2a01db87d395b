import { paths } from './api.js';

const failureOf = ({ code, provider_code: provider, message }) =>
  `${code}${provider ? ` (provider’s code ${provider})` : ''}: ${message}`;

const triggers = {
  schedule: 'tried again, as the one before failed',
  resend: 'sent again, as the outcome of the one before stayed unknown',
  retry: 'somebody asked for it',
};
const errors = {
  refused: 'refused for good',
  channel_refused: 'the channel may not send',
  busy: 'the provider was busy',
  unavailable: 'the provider could not take it',
  no_answer: 'no answer came: it may have been taken',
  lost: 'the worker ended meanwhile',
};

const pricingOf = (pricing) =>
  pricing && [pricing.category, pricing.model, pricing.type, pricing.billable === false ? 'not billable' : undefined];

function attemptStep({
  number,
  trigger,
  outcome,
  error_class: error,
  provider_code: code,
  reason,
  duration_ms: ms,
  job_id,
  run,
}) {
  return {
    what: `Try ${number} at the provider`,
    badge: outcome,
    facts: [
      ['Why', triggers[trigger]],
      ['What went wrong', error && errors[error]],
      ['Provider’s code', code],
      ['Reason', reason || undefined],
      ['Took', ms === null ? undefined : `${ms.toLocaleString('en')} ms`],
      ['Job and run', job_id && `${job_id}, ${run}`],
    ],
  };
}

const queuedStep = ({ queue }) =>
  queue
    ? {
        what: 'It was queued',
        facts: [
          ['Job', queue.job_id],
          ['Its state', queue.state],
        ],
      }
    : { what: 'It was queued' };

/** What a person reads of an entry of the timeline. */
const steps = {
  received: () => ({ what: 'The provider reported it' }),
  accepted: () => ({ what: 'Kanal accepted it' }),
  queued: queuedStep,
  attempt: ({ attempt }) => attemptStep(attempt),
  answer: () => ({ what: 'The provider took it' }),
  retried: () => ({ what: 'Somebody asked to send it again' }),
  status: ({ status: { status, pricing } }) => ({
    what: `The provider says: ${status}`,
    facts: [['Pricing', pricingOf(pricing)?.filter(Boolean).join(', ')]],
  }),
  failed: ({ failure }) => ({ what: 'It failed for good', detail: failureOf(failure) }),
};

/** One step for all webhooks of an event. */
function addWebhook(found, { at, webhook }, urls) {
  const { event, endpoint_id: endpointId, ...delivery } = webhook;
  const of = { ...delivery, id: delivery.delivery_id, url: urls.get(endpointId) ?? 'an endpoint' };
  const known = found.find((step) => step.event?.id === event.id);
  if (known) known.webhooks.push(of);
  else found.push({ key: event.id, at, what: 'Webhooks tell of it', event, webhooks: [of] });
}

async function urlsOf(entries, read) {
  const ids = new Set(entries.flatMap(({ webhook }) => webhook?.endpoint_id ?? []));
  const urls = await Promise.all(
    [...ids].map((id) =>
      read(paths.endpoint(id)).then(
        ({ url }) => [id, url],
        () => [id, 'a deleted endpoint'],
      ),
    ),
  );
  return new Map(urls);
}

/** What became of a message, step by step. */
export async function storyOf(id, may, read) {
  const [{ data: message }, { data: timeline }] = await Promise.all([read(`messages/${id}`), read(`messages/${id}/timeline`)]);
  const urls = may('webhooks:read') ? await urlsOf(timeline.entries, read) : new Map();
  const found = [];
  for (const [index, entry] of timeline.entries.entries()) {
    if (entry.kind === 'webhook') addWebhook(found, entry, urls);
    else if (steps[entry.kind]) found.push({ key: index, at: entry.at, ...steps[entry.kind](entry) });
  }
  const queue = timeline.entries.find(({ kind }) => kind === 'queued')?.queue;
  if (message.status === 'queued' && queue)
    found.push({ key: 'next', at: queue.next_run_at, what: 'It waits for its turn, or for its next try' });
  return { message, steps: found, isWhole: timeline.is_whole };
}
