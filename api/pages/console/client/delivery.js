import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { get, paths } from './api.js';
import { Attempts } from './attempts.js';
import { DeliveryState, outcomeOf } from './deliveries.js';
import { useLoaded } from './loading.js';
import { Facts, Title, Waiting } from './parts.js';
import { Replay } from './replaying.js';
import { Time, timeText } from './time.js';
import { html } from './view.js';

const soonMs = 1000;
const laterMs = 5000;
const soonFor = 30;

/** What became of a try that somebody on this page asked for. */
function told({ state, attempts, last_attempt: last, next_attempt_at: next }, before) {
  if (attempts === before) return undefined;
  if (state === 'succeeded') return `Delivered: the endpoint answered ${last?.status ?? 'with success'}.`;
  const failed = `It failed again: ${outcomeOf(last)}.`;
  return next ? `${failed} The next attempt is at ${timeText(next)}.` : failed;
}

const Story = ({ of }) => html`
  <${Facts}
    of=${[
      ['State', html`<${DeliveryState} of=${of} />`],
      ['Event', html`<a href=${`#/events/${of.event.id}`}>${of.event.type}</a> <code>${of.event.id}</code>`],
      ['Endpoint', html`<a href=${`#/endpoints/${of.endpoint_id}`}>${of.endpoint_id}</a>`],
      ['Why', of.last_attempt?.error],
      ['Attempts', of.attempts],
      ['Next attempt', of.next_attempt_at && html`<${Time} at=${of.next_attempt_at} />`],
      ['Made', html`<${Time} at=${of.created_at} />`],
      ['Ended', of.finished_at && html`<${Time} at=${of.finished_at} />`],
    ]}
  />
`;

export function Delivery({ id, may }) {
  const asked = useRef();
  const looks = useRef(0);
  const delayOf = ({ state, held }) => {
    if (state !== 'pending' || held) return undefined;
    looks.current += 1;
    return asked.current && looks.current < soonFor ? soonMs : laterMs;
  };
  const loaded = useLoaded((signal) => get(paths.delivery(id), {}, signal), [id], delayOf);
  const delivery = loaded.value;
  useEffect(() => {
    const news = delivery && asked.current && told(delivery, asked.current.attempts);
    if (!news) return;
    announce(news);
    asked.current = undefined;
  }, [delivery]);
  const replayed = () => {
    asked.current = { attempts: delivery.attempts };
    looks.current = 0;
    loaded.again();
  };
  return html`
    <${Title} text=${`Delivery of ${delivery?.event.type ?? 'an event'}`} />
    <${Waiting} loaded=${loaded}>
      ${(value) => html`
        <${Story} of=${value} />
        ${may('webhooks:write') && html`<div class="actions"><${Replay} delivery=${value} asked=${replayed} /></div>`}
        <${Attempts} deliveryId=${id} made=${value.attempts} />
      `}
    <//>
  `;
}
