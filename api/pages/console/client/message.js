import { get } from './api.js';
import { useLoaded } from './loading.js';
import { storyOf } from './message-story.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const refreshMs = 3000;
const openStates = ['queued', 'sending'];

const Webhook = ({ of, mayOpen }) => html`
  <li>${mayOpen ? html`<a href=${`#/deliveries/${of.id}`}>${of.url}</a>` : of.url} <${Badge} state=${of.state} /></li>
`;

const Step = ({ of: { at, what, badge, facts, detail, event, webhooks = [] }, may }) => html`
  <li>
    <h3>${what} ${badge && html`<${Badge} state=${badge} />`}</h3>
    <p>
      <${Time} at=${at} />
      ${event && html` · ${may('events:read') ? html`<a href=${`#/events/${event.id}`}>${event.type}</a>` : event.type}`}
    </p>
    ${detail && html`<p>${detail}</p>`}
    ${facts?.some(([, value]) => value) && html`<${Facts} of=${facts.filter(([, value]) => value)} />`}
    ${webhooks.length > 0 && html`<ul>${webhooks.map((delivery) => html`<${Webhook} key=${delivery.id} of=${delivery} mayOpen=${may('webhooks:read')} />`)}</ul>`}
  </li>
`;

const About = ({ of }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${of.status} />`],
      ['Direction', of.direction],
      ['Person', of.to_phone || undefined],
      ['Provider’s id', of.provider_message_id ? html`<code>${of.provider_message_id}</code>` : undefined],
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
      ${({ message, steps, isWhole }) => html`
        <${About} of=${message} />
        <section aria-labelledby="story">
          <h2 id="story">What happened</h2>
          ${!isWhole && html`<p class="quiet">The conversation has had many events since: some webhooks may be missing here.</p>`}
          <ol class="story">${steps.map((step) => html`<${Step} key=${step.key} of=${step} may=${may} />`)}</ol>
        </section>
        <section aria-labelledby="content"><h2 id="content">Content</h2><pre tabindex="0">${JSON.stringify(message.content, null, 2)}</pre></section>
      `}
    <//>
  `;
}
