import { useRef } from 'preact/hooks';
import { get, paths } from './api.js';
import { DeliveryState, outcomeOf } from './deliveries.js';
import { useLoaded } from './loading.js';
import { Table, Waiting } from './parts.js';
import { Replay } from './replaying.js';
import { Time } from './time.js';
import { html } from './view.js';

const refreshMs = 2000;

/** An endpoint that was deleted since has no address any more. */
const urlOf = (id, signal) =>
  get(paths.endpoint(id), {}, signal).then(
    ({ url }) => url,
    () => 'a deleted endpoint',
  );

const columnsFor = (may, asked) => [
  ['Endpoint', ({ endpoint_id: id, url }) => html`<a href=${`#/endpoints/${id}`}>${url}</a>`],
  ['State', (row) => html`<${DeliveryState} of=${row} />`],
  [
    'Attempts',
    ({ id, attempts, event, url }) =>
      html`<a href=${`#/deliveries/${id}`} aria-label=${`${attempts} attempts of ${event.type} to ${url}`}>${attempts}</a>`,
  ],
  ['Last attempt', ({ last_attempt: last }) => outcomeOf(last)],
  ['Next attempt', ({ next_attempt_at: at }) => html`<${Time} at=${at} />`],
  ...(may('webhooks:write') ? [['Action', (row) => html`<${Replay} delivery=${row} about=${row.url} asked=${asked} />`]] : []),
];

/** Every endpoint's story of one event. */
export function EventDeliveries({ eventId, may }) {
  const { current: urls } = useRef(new Map());
  const load = async (signal) => {
    const { items } = await get(`${paths.event(eventId)}/deliveries`, {}, signal);
    for (const { endpoint_id: id } of items) if (!urls.has(id)) urls.set(id, await urlOf(id, signal));
    return items.map((row) => ({ ...row, url: urls.get(row.endpoint_id) }));
  };
  const loaded = useLoaded(load, [eventId], (rows) =>
    rows.some(({ state, held }) => state === 'pending' && !held) ? refreshMs : undefined,
  );
  return html`
    <section aria-labelledby="stories">
      <h2 id="stories">Its deliveries</h2>
      <${Waiting} loaded=${loaded}>
        ${(rows) =>
          rows.length > 0
            ? html`<${Table} caption="One delivery for each endpoint that listened" columns=${columnsFor(may, loaded.again)} rows=${rows} />`
            : html`<p>No endpoint listened to it.</p>`}
      <//>
    </section>
  `;
}
