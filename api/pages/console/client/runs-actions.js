import { paths, post } from './api.js';
import { Asking } from './asking.js';
import { go } from './route.js';
import { html } from './view.js';

/** Over any number of runs of a rule: an operation, whose page shows how far it is. */
export function RunsActions({ ruleId, may }) {
  const act = (what) => async () => {
    const { operation_id: operationId } = await post(`${paths.runs}/${what}`, { rule_id: ruleId });
    go(`operations/${operationId}`);
  };
  if (!may('automation:write')) return null;
  return html`
    <div class="actions">
      <${Asking} label="Retry failed…" title="Retry all failed runs of this rule" action="Retry them" act=${act('retry')}>
        <p>Each goes on from the step that failed. A call whose outcome is unknown is made again: look at the other system first.</p>
      <//>
      <${Asking} label="Cancel live…" title="Cancel all live runs of this rule" action="Cancel them" isDanger act=${act('cancel')}>
        <p>Those that wait, too. What they have done stays done, and the rule goes on to begin others unless it is paused.</p>
      <//>
    </div>
  `;
}
