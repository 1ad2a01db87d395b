import { paths } from './api.js';
import { useList } from './loading.js';
import { Badge, Listed, Title } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

/** In the word of a person: what there is to do about it. */
export const stateOf = ({ enabled, failing_since: failing }) => (!enabled ? 'disabled' : failing ? 'failing' : 'enabled');

const columns = [
  [
    'Endpoint',
    ({ id, url, description }) =>
      html`<a href=${`#/endpoints/${id}`}>${url}</a> ${description && html`<br /><span class="quiet">${description}</span>`}`,
  ],
  ['State', (row) => html`<${Badge} state=${stateOf(row)} />`],
  ['Since', ({ failing_since, disabled_at, created_at }) => html`<${Time} at=${disabled_at ?? failing_since ?? created_at} />`],
  [
    'Listens to',
    ({ event_types: types }) =>
      html`<code>${types.slice(0, 3).join(', ')}</code>${types.length > 3 && ` and ${types.length - 3} more`}`,
  ],
];

export const Endpoints = () => html`
  <${Title} text="Webhook endpoints" />
  <${Listed} list=${useList(paths.endpoints)} caption="Webhook endpoints" columns=${columns} none="There is no webhook endpoint yet." />
`;
