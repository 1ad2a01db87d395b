import { get, paths } from './api.js';
import { EventDeliveries } from './event-deliveries.js';
import { useLoaded } from './loading.js';
import { Facts, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

/** What its receivers get; `subject` is the API's own. */
const bodyOf = ({ subject: _, ...envelope }) => JSON.stringify(envelope, null, 2);

export function Event({ id, may }) {
  const loaded = useLoaded((signal) => get(paths.event(id), {}, signal), [id]);
  return html`
    <${Title} text=${`Event ${loaded.value?.type ?? ''}`} />
    <${Waiting} loaded=${loaded}>
      ${(event) => html`
        <${Facts}
          of=${[
            ['Happened', html`<${Time} at=${event.timestamp} />`],
            ['webhook-id', html`<code>${event.id}</code>`],
            ['About', html`${event.subject.type} <code>${event.subject.id}</code>`],
          ]}
        />
        <section aria-labelledby="body"><h2 id="body">Body</h2><pre tabindex="0">${bodyOf(event)}</pre></section>
      `}
    <//>
    ${may('webhooks:read') && html`<${EventDeliveries} eventId=${id} may=${may} />`}
  `;
}
