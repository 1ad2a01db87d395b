import { announce } from './announce.js';
import { post } from './api.js';
import { Acting } from './asking.js';
import { Campaign } from './campaign.js';
import { Campaigns } from './campaigns.js';
import { Delivery } from './delivery.js';
import { Endpoint } from './endpoint.js';
import { Endpoints } from './endpoints.js';
import { Event } from './event.js';
import { Events } from './events.js';
import { Keys } from './keys.js';
import { Message } from './message.js';
import { Messages } from './messages.js';
import { Operation } from './operation.js';
import { Operations } from './operations.js';
import { Title } from './parts.js';
import { go, useRoute } from './route.js';
import { Rule } from './rule.js';
import { Rules } from './rules.js';
import { Run } from './run.js';
import { Runs } from './runs.js';
import { zone } from './time.js';
import { html } from './view.js';

/** `of`: the view of one, by its id. `scope`: what the API asks for. */
const places = [
  { place: 'endpoints', label: 'Webhook endpoints', scope: 'webhooks:read', all: Endpoints, of: Endpoint },
  { place: 'deliveries', scope: 'webhooks:read', of: Delivery },
  { place: 'events', label: 'Events', scope: 'events:read', all: Events, of: Event },
  { place: 'messages', label: 'Messages', scope: 'messages:read', all: Messages, of: Message },
  { place: 'campaigns', label: 'Campaigns', scope: 'campaigns:read', all: Campaigns, of: Campaign },
  { place: 'rules', label: 'Rules', scope: 'automation:read', all: Rules, of: Rule },
  { place: 'runs', label: 'Runs of rules', scope: 'automation:read', all: Runs, of: Run },
  { place: 'operations', label: 'Operations', scope: 'messages:read', all: Operations, of: Operation },
  { place: 'keys', label: 'API keys', scope: 'api_keys:read', all: Keys },
];

const Nothing = ({ text }) => html`<${Title} text=${text} /><p><a href="#/">To the start</a></p>`;

/** The first that the role may see, where none is named. */
const placeOf = ({ path, place }, may) =>
  path === '' ? places.find(({ all, scope }) => all && may(scope)) : places.find((one) => one.place === place);

function View({ me, route, may }) {
  const place = placeOf(route, may);
  const Shown = route.id ? place?.of : place?.all;
  if (me.organization_id === null) return html`<${Nothing} text="No organization is active" />`;
  if (!Shown) return html`<${Nothing} text="There is no such page" />`;
  if (!may(place.scope)) return html`<${Nothing} text=${`Your role (${me.role}) may not see this`} />`;
  return html`<${Shown} key=${route.path} id=${route.id} query=${route.query} path=${route.path} may=${may} me=${me} />`;
}

/** Two choices that are under way at once would end in either: each waits for the one before, so that the last one counts. */
let earlier = Promise.resolve();

function Organizations({ me, changed }) {
  const { organizations, organization_id: active } = me;
  const activate = async (id) => {
    try {
      await post('auth/session/active-organization', { organization_id: id });
      go('');
      await changed();
    } catch ({ message }) {
      announce(message);
    }
  };
  const choose = ({ currentTarget: { value } }) => {
    earlier = earlier.then(() => activate(value));
  };
  if (organizations.length < 2 && active) return html`<span>${organizations[0]?.name}</span>`;
  return html`
    <select aria-label="Organization" onChange=${choose}>
      ${!active && html`<option value="" selected>Choose an organization</option>`}
      ${organizations.map(({ id, name }) => html`<option key=${id} value=${id} selected=${id === active}>${name}</option>`)}
    </select>
  `;
}

export function Shell({ me, changed }) {
  const route = useRoute();
  const may = (scope) => me.scopes.includes(scope);
  const here = placeOf(route, may);
  const skip = (event) => {
    event.preventDefault();
    document.querySelector('h1')?.focus();
  };
  const logOut = async () => {
    await post('auth/logout');
    await changed();
  };
  return html`
    <a class="skip" href="#content" onClick=${skip}>Skip to the content</a>
    <header>
      <strong>Kanal</strong>
      <${Organizations} me=${me} changed=${changed} />
      <span class="who"><span>${me.name || me.email}</span> <${Acting} label="Log out" act=${logOut} isSecond /></span>
      <nav aria-label="Console">
        ${places
          .filter(({ label, scope }) => label && may(scope))
          .map(
            ({ place, label }) =>
              html`<a key=${place} href=${`#/${place}`} aria-current=${here?.place === place ? 'page' : undefined}>${label}</a>`,
          )}
      </nav>
    </header>
    <main id="content" key=${me.organization_id}>
      <p id="said" role="status"></p>
      <${View} me=${me} route=${route} may=${may} />
    </main>
    <footer class="quiet">Times are in ${zone}. All of this can be done by the <a href="docs">API</a>, too.</footer>
  `;
}
