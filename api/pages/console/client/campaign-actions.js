import { paths, post } from './api.js';
import { Acting, Asking } from './asking.js';
import { html } from './view.js';

const open = ['scheduled', 'running', 'paused'];

/** What the state and the scopes of the member allow. */
export function CampaignActions({ campaign: { id, name, status }, may, changed }) {
  const act = (what) => async () => {
    await post(`${paths.campaign(id)}/${what}`);
    changed();
  };
  if (!may('campaigns:write') || !open.includes(status)) return null;
  return html`
    <div class="actions">
      ${status === 'running' && html`<${Acting} key="pause" label="Pause" act=${act('pause')} isSecond />`}
      ${status === 'paused' && may('messages:write') && html`<${Acting} key="resume" label="Resume" act=${act('resume')} />`}
      <${Asking} key="cancel" label="Cancel…" title=${`Cancel ${name}`} action="Cancel it" isDanger act=${act('cancel')}>
        <p>Nobody is written to any more, and it cannot be started again. Messages that the provider has stay sent.</p>
      <//>
    </div>
  `;
}
