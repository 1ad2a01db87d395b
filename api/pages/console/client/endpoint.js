import { get, paths } from './api.js';
import { Deliveries } from './deliveries.js';
import { EndpointActions } from './endpoint-actions.js';
import { Health } from './endpoint-health.js';
import { stateOf } from './endpoints.js';
import { useLoaded } from './loading.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const reasons = {
  manual: 'by a member or a key',
  gone: 'the receiver answered 410 Gone',
  failing: 'nothing but failures for days',
};
const refreshMs = 10_000;

const Settings = ({ of }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${stateOf(of)} />`],
      ['Failing since', of.failing_since && html`<${Time} at=${of.failing_since} />`],
      [
        'Disabled',
        of.disabled_at && html`<${Time} at=${of.disabled_at} />, ${reasons[of.disabled_reason] ?? of.disabled_reason}`,
      ],
      ['Description', of.description || undefined],
      ['Listens to', html`<code>${of.event_types.join(', ')}</code>`],
      ['Order', of.ordering === 'per_subject' ? 'kept for each subject' : 'not kept'],
      ['Deliveries a second', of.rate_limit],
      ['Own headers', of.header_names.length > 0 ? of.header_names.join(', ') : undefined],
    ]}
  />
`;

export function Endpoint({ id, path, query, may }) {
  const loaded = useLoaded(
    (signal) => get(paths.endpoint(id), {}, signal),
    [id],
    () => refreshMs,
  );
  const stats = useLoaded(
    (signal) => get(`${paths.endpoint(id)}/stats`, {}, signal),
    [id],
    () => refreshMs,
  );
  const changed = () => {
    loaded.again();
    stats.again();
  };
  return html`
    <${Title} text=${loaded.value?.url ?? 'Webhook endpoint'} />
    <${Waiting} loaded=${loaded}>
      ${(endpoint) => html`
        <${Settings} of=${endpoint} />
        ${may('webhooks:write') && html`<${EndpointActions} endpoint=${endpoint} changed=${changed} />`}
      `}
    <//>
    <section aria-labelledby="health"><h2 id="health">Health</h2><${Waiting} loaded=${stats}>${(value) => html`<${Health} stats=${value} />`}<//></section>
    <section aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2><${Deliveries} endpointId=${id} path=${path} query=${query} /></section>
  `;
}
