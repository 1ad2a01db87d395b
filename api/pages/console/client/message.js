import { get } from './api.js';
import { DeliveryState, outcomeOf } from './deliveries.js';
import { useLoaded } from './loading.js';
import { storyOf } from './message-story.js';
import { Badge, Facts, Refused, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const refreshMs = 3000;
const openStates = ['queued', 'sending'];

const Webhook = ({ of }) => html`
  <li>
    <a href=${`#/deliveries/${of.id}`}>${of.url}</a> <${DeliveryState} of=${of} />
    <span class="quiet"> ${of.attempts} ${of.attempts === 1 ? 'attempt' : 'attempts'}, ${outcomeOf(of.last_attempt)}</span>
  </li>
`;

const Step = ({ of: { at, what, detail, event, webhooks = [] } }) => html`
  <li>
    <h3>${what}</h3>
    <p><${Time} at=${at} none="now" />${event && html` · <a href=${`#/events/${event.id}`}>${event.type}</a>`}</p>
    ${detail && html`<p>${detail}</p>`}
    ${webhooks.length > 0 && html`<ul>${webhooks.map((delivery) => html`<${Webhook} key=${delivery.id} of=${delivery} />`)}</ul>`}
  </li>
`;

const About = ({ of }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${of.status} />`],
      ['Direction', of.direction],
      ['Person', of.to_phone || undefined],
      ['Provider’s id', of.provider_message_id && html`<code>${of.provider_message_id}</code>`],
      ['Conversation', html`<code>${of.conversation_id}</code>`],
      ['Channel', html`<code>${of.channel_id}</code>`],
    ]}
  />
`;

export function Message({ id, may }) {
  const load = (signal) => storyOf(id, may, (path, query) => get(path, query, signal));
  const loaded = useLoaded(load, [id], ({ message }) => (openStates.includes(message.status) ? refreshMs : undefined));
  return html`
    <${Title} text="Message" />
    <${Waiting} loaded=${loaded}>
      ${({ message, steps, problem }) => html`
        <${About} of=${message} />
        <section aria-labelledby="story">
          <h2 id="story">What happened</h2>
          <${Refused} problem=${problem} />
          <ol class="story">${steps.map((step) => html`<${Step} key=${step.key} of=${step} />`)}</ol>
        </section>
        <section aria-labelledby="content"><h2 id="content">Content</h2><pre tabindex="0">${JSON.stringify(message.content, null, 2)}</pre></section>
      `}
    <//>
  `;
}
