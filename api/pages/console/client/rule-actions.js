import { announce } from './announce.js';
import { paths, post } from './api.js';
import { Acting, Asking } from './asking.js';
import { html } from './view.js';

/** What the state and the scopes of the member allow. Publishing and resuming also take the scopes of the rule's actions: the API says which are missing. */
export function RuleActions({ rule, may, changed }) {
  const { id, name, status, revision, version, has_changes: hasChanges } = rule;
  const act = (what, body) => async () => {
    const after = await post(`${paths.rule(id)}/${what}`, body);
    if (what === 'publish') announce(`Version ${after.version} is live.`);
    changed();
  };
  if (!may('automation:write')) return null;
  return html`
    <div class="actions">
      ${status === 'live' && html`<${Acting} key="pause" label="Pause" act=${act('pause')} isSecond />`}
      ${status === 'paused' && html`<${Acting} key="resume" label="Resume" act=${act('resume')} />`}
      ${
        hasChanges &&
        html`
          <${Asking} key="publish" label="Publish…" title=${`Publish ${name}`} action="Publish it" isSecond=${status !== 'draft'} act=${act('publish', { revision })}>
            <p>The draft becomes version ${version + 1}, and the rule is live by it at once. Runs that have begun go on with their own version.</p>
          <//>
        `
      }
    </div>
  `;
}
