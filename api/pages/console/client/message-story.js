import { paths } from './api.js';

const maxPages = 5;
/** The API's own clock and the provider's may differ by some seconds. */
const leewayMs = 60_000;

const texts = {
  'message.new': 'It appeared in the conversation',
  'message.sent': 'The provider took it',
  'message.failed': 'It failed for good',
};
const whatOf = ({ type, data }) =>
  type === 'message.status_update' ? `The provider says: ${data.status}` : (texts[type] ?? type);
const failureOf = ({ code, provider_code: provider, message }) =>
  `${code}${provider ? ` (provider’s code ${provider})` : ''}: ${message}`;

/** The events of its conversation that name it; a long conversation is read so far and no further. */
async function eventsOf({ id, conversation_id: conversation, created_at: at }, read) {
  const found = [];
  const since = new Date(Date.parse(at) - leewayMs).toISOString();
  let cursor;
  for (let page = 0; page < maxPages; page++) {
    const query = {
      subject: `conversation:${conversation}`,
      type: 'message.*',
      order: 'asc',
      limit: 100,
      ...(cursor ? { cursor } : {}),
      since,
    };
    const { items, meta } = await read('events', query);
    found.push(...items.filter(({ data }) => data.message_id === id));
    if (!meta.has_more) break;
    cursor = meta.next_cursor;
  }
  return found;
}

async function webhooksOf(event, urls, read) {
  const { items } = await read(`${paths.event(event.id)}/deliveries`);
  for (const { endpoint_id: id } of items)
    if (!urls.has(id))
      urls.set(
        id,
        await read(paths.endpoint(id)).then(
          ({ url }) => url,
          () => 'a deleted endpoint',
        ),
      );
  return items.map((delivery) => ({ ...delivery, url: urls.get(delivery.endpoint_id) }));
}

/** What the API knows of a message, in the order in which it happened. `problem`: why a part is missing. */
export async function storyOf(id, may, read) {
  const { data: message } = await read(`messages/${id}`);
  const isOurs = message.direction === 'outbound';
  const steps = [
    { key: 'accepted', at: message.created_at, what: isOurs ? 'Kanal accepted it and queued it' : 'The provider reported it' },
  ];
  let problem;
  try {
    const urls = new Map();
    for (const event of may('events:read') ? await eventsOf(message, read) : []) {
      const webhooks = may('webhooks:read') ? await webhooksOf(event, urls, read) : [];
      const detail = event.type === 'message.failed' && message.failure ? failureOf(message.failure) : undefined;
      steps.push({ key: event.id, at: event.timestamp, what: whatOf(event), detail, event, webhooks });
    }
  } catch (refusal) {
    problem = refusal;
  }
  if (message.status === 'sending') steps.push({ key: 'sending', what: 'The provider is being asked' });
  if (message.status === 'queued') steps.push({ key: 'queued', what: 'It waits for its turn, or for its next try' });
  if (message.failure && !steps.some(({ detail }) => detail))
    steps.push({ key: 'failed', at: message.updated_at, what: texts['message.failed'], detail: failureOf(message.failure) });
  return { message, steps, problem };
}
