import { paths } from './api.js';
import { useList } from './loading.js';
import { Badge, Choice, Field, Listed, valuesOf } from './parts.js';
import { filterBy } from './route.js';
import { isoOfLocal, Time } from './time.js';
import { html } from './view.js';

const states = [['pending'], ['succeeded'], ['failed'], ['cancelled']];

/** What a person asks first: why. */
export const outcomeOf = (attempt) => (attempt ? (attempt.error ?? `HTTP ${attempt.status}`) : 'not tried yet');

export const DeliveryState = ({ of: { state, held, is_test: isTest } }) => html`
  <${Badge} state=${held ? 'held' : state} /> ${isTest && html`<span class="quiet">test</span>`}
`;

const columns = [
  ['Event', ({ id, event }) => html`<a href=${`#/deliveries/${id}`}>${event.type}</a>`],
  ['State', (row) => html`<${DeliveryState} of=${row} />`],
  ['Attempts', ({ attempts }) => attempts],
  ['Last attempt', ({ last_attempt: last }) => outcomeOf(last)],
  ['Made', ({ created_at: at }) => html`<${Time} at=${at} />`],
  ['Next attempt', ({ next_attempt_at: at }) => html`<${Time} at=${at} />`],
];

function Filters({ path, filters }) {
  const submit = (event) => {
    event.preventDefault();
    filterBy(path, valuesOf(event.currentTarget));
  };
  return html`
    <form class="filters" role="search" aria-label="Filter the deliveries" onSubmit=${submit}>
      <${Field} label="State"><${Choice} name="state" value=${filters.state} options=${states} none="any" /><//>
      <${Field} label="Event type">
        <input name="type" defaultValue=${filters.type ?? ''} maxlength="1000" placeholder="message.*" autocapitalize="none" />
      <//>
      <${Field} label="Made since"><input name="since" type="datetime-local" defaultValue=${filters.since ?? ''} /><//>
      <${Field} label="Made before"><input name="until" type="datetime-local" defaultValue=${filters.until ?? ''} /><//>
      <button type="submit" class="second">Filter</button>
    </form>
  `;
}

export function Deliveries({ endpointId, path, query }) {
  const filters = Object.fromEntries(query);
  const { state, type, since, until } = filters;
  const list = useList(`${paths.endpoint(endpointId)}/deliveries`, {
    state,
    type,
    since: isoOfLocal(since),
    until: isoOfLocal(until),
  });
  return html`
    <${Filters} path=${path} filters=${filters} />
    <${Listed} list=${list} caption="Deliveries, newest first" columns=${columns} none="No delivery is like this." />
  `;
}
