import { useEffect, useRef, useState } from 'preact/hooks';
import { post, Refusal } from './api.js';
import { Asking } from './asking.js';
import { Field } from './parts.js';
import { isoOfLocal } from './time.js';
import { html } from './view.js';

/** The API shows a key once; so does the page. It is kept nowhere. */
function Made({ of: { name, key } }) {
  const field = useRef();
  useEffect(() => {
    field.current.focus();
    field.current.select();
  }, [key]);
  return html`
    <${Field} label=${`The key ${name}`} hint="Copy it now: it is never shown again.">
      <input ref=${field} value=${key} readonly spellcheck=${false} autocomplete="off" />
    <//>
  `;
}

export function NewKey({ scopes, made }) {
  const [key, set] = useState();
  const act = async ({ name, expires }, form) => {
    const chosen = new FormData(form).getAll('scopes');
    if (chosen.length === 0) throw new Refusal('Choose at least one scope.');
    set(await post('api-keys', { name, scopes: chosen, ...(expires && { expires_at: isoOfLocal(expires) }) }));
    form.reset();
    made();
  };
  return html`
    <div class="actions">
      <${Asking} label="Create a key…" title="Create an API key" action="Create" isSecond=${false} act=${act}>
        <${Field} label="Name"><input name="name" required maxlength="200" autocomplete="off" /><//>
        <${Field} label="Expires" hint="Empty: never"><input name="expires" type="datetime-local" /><//>
        <fieldset>
          <legend>Scopes</legend>
          <div class="choices">
            ${scopes.map((scope) => html`<label key=${scope}><input type="checkbox" name="scopes" value=${scope} /> ${scope}</label>`)}
          </div>
        </fieldset>
      <//>
    </div>
    ${key && html`<${Made} of=${key} />`}
  `;
}
