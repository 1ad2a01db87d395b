import { paths, post } from './api.js';
import { Acting, Asking } from './asking.js';
import { html } from './view.js';

const live = ['queued', 'running'];

/** A call outside may have had its effect: whoever makes it again looks first. */
const Retry = ({ error, act }) =>
  error?.code === 'outcome_unknown'
    ? html`
        <${Asking} label="Retry…" title="Make the call once more" action="Make it again" isSecond=${false} act=${act}>
          <p>Nobody knows whether the call had its effect. Look at the other system first: it is made a second time.</p>
        <//>
      `
    : html`<${Acting} label="Retry" act=${act} />`;

/** What the state and the scopes of the member allow. */
export function RunActions({ run: { id, state, error }, may, changed }) {
  const act = (what) => async () => {
    await post(`${paths.run(id)}/${what}`);
    changed();
  };
  if (!may('automation:write')) return null;
  return html`
    <div class="actions">
      ${state === 'failed' && html`<${Retry} key="retry" error=${error} act=${act('retry')} />`}
      ${
        live.includes(state) &&
        html`
          <${Asking} key="cancel" label="Cancel…" title="Cancel this run" action="Cancel it" isDanger act=${act('cancel')}>
            <p>It does no more, and it cannot go on again. What it has done stays done.</p>
          <//>
        `
      }
    </div>
  `;
}
