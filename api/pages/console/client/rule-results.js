import { get, paths } from './api.js';
import { useLoaded } from './loading.js';
import { Facts, Table, Waiting } from './parts.js';
import { number } from './rule-counts.js';
import { heldReasons } from './rule-words.js';
import { html } from './view.js';

const heldColumns = [
  ['Reason', ({ id }) => html`${heldReasons[id] ?? id} <span class="quiet">${id}</span>`],
  ['Starts', ({ count }) => number(count)],
];
const stepColumns = [
  ['Step', ({ step_id: id }) => html`<code>${id}</code>`],
  ['Type', ({ type }) => type],
  ['Done', ({ done }) => number(done)],
  ['Waiting', ({ waiting }) => number(waiting)],
  ['Skipped', ({ skipped }) => number(skipped)],
  ['Failed', ({ failed }) => number(failed)],
];
const states = [
  ['running', 'Running or waiting'],
  ['queued', 'Queued'],
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
  ['total', 'All'],
];

const heldRows = (held) =>
  Object.entries(held)
    .filter(([, count]) => count > 0)
    .map(([id, count]) => ({ id, count }));
const stepRows = (steps) => steps.map((step) => ({ ...step, id: step.step_id }));

const Steps = ({ of: { steps, steps_of: runs } }) => html`
  <section>
    <h3>Its steps, in the last ${number(runs)} ${runs === 1 ? 'run' : 'runs'}</h3>
    <${Table} caption="What became of each step" columns=${stepColumns} rows=${stepRows(steps)} />
  </section>
`;

const Held = ({ rows }) => html`
  <section>
    <h3>What was held back</h3>
    ${rows.length > 0 ? html`<${Table} caption="Starts that were held back" columns=${heldColumns} rows=${rows} />` : html`<p>No start was held back.</p>`}
  </section>
`;

/** Its runs by state, why starts were held back, and what became of its steps. */
export function RuleResults({ id, delayMs, status }) {
  const loaded = useLoaded(
    (signal) => get(`${paths.rule(id)}/stats`, {}, signal),
    [id, status],
    () => delayMs,
  );
  return html`
    <${Waiting} loaded=${loaded}>
      ${(stats) => html`
        <${Facts} of=${states.map(([state, label]) => [label, number(stats.runs[state])])} />
        <${Held} rows=${heldRows(stats.held)} />
        ${stats.steps.length > 0 && html`<${Steps} of=${stats} />`}
      `}
    <//>
  `;
}
