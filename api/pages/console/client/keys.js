import { announce } from './announce.js';
import { remove } from './api.js';
import { Asking } from './asking.js';
import { useList } from './loading.js';
import { NewKey } from './new-key.js';
import { Badge, Listed, Title } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

function stateOf({ revoked_at: revoked, expires_at: expires }) {
  if (revoked) return 'revoked';
  return expires && Date.parse(expires) <= Date.now() ? 'expired' : 'in force';
}

const columnsFor = (mayWrite, changed) => [
  ['Name', ({ name }) => name],
  ['Begins with', ({ hint }) => html`<code>${hint}</code>`],
  ['State', (key) => html`<${Badge} state=${stateOf(key)} />`],
  [
    'Scopes',
    ({ scopes }) =>
      html`<details><summary>${scopes.length} ${scopes.length === 1 ? 'scope' : 'scopes'}</summary><code>${scopes.join(', ')}</code></details>`,
  ],
  ['Last used', ({ last_used_at: at }) => html`<${Time} at=${at} none="never" />`],
  ['Expires', ({ expires_at: at }) => html`<${Time} at=${at} none="never" />`],
  ['Made', ({ created_at: at }) => html`<${Time} at=${at} />`],
  ...(mayWrite ? [['Action', (key) => !key.revoked_at && html`<${Revoke} of=${key} changed=${changed} />`]] : []),
];

function Revoke({ of: { id, name }, changed }) {
  const act = async () => {
    await remove(`api-keys/${id}`);
    announce(`The key ${name} is revoked.`);
    changed();
  };
  return html`
    <${Asking} label="Revoke…" about=${name} title=${`Revoke the key ${name}`} action="Revoke it" isDanger act=${act}>
      <p>Whatever uses it is refused within seconds, and for good.</p>
    <//>
  `;
}

export function Keys({ may, me }) {
  const list = useList('api-keys');
  const mayWrite = may('api_keys:write');
  return html`
    <${Title} text="API keys" />
    ${mayWrite && html`<${NewKey} scopes=${me.scopes} made=${list.again} />`}
    <${Listed} list=${list} caption="API keys, newest first" columns=${columnsFor(mayWrite, list.again)} none="There is no API key yet." />
  `;
}
