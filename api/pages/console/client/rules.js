import { paths } from './api.js';
import { useList } from './loading.js';
import { Badge, Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy } from './route.js';
import { Mode, number, RunCounts } from './rule-counts.js';
import { pausedReasons, triggerText } from './rule-words.js';
import { Time } from './time.js';
import { html } from './view.js';

const states = [['draft'], ['live'], ['paused']];

const State = ({ of: { status, mode, paused_reason: reason } }) => html`
  <${Badge} state=${status} /> <${Mode} mode=${mode} />
  ${reason && html`<div class="quiet">${pausedReasons[reason]?.[0] ?? reason}</div>`}
`;

const columns = [
  ['Rule', ({ id, name }) => html`<a href=${`#/rules/${id}`}>${name}</a>`],
  ['State', (row) => html`<${State} of=${row} />`],
  ['Begins with', ({ trigger }) => triggerText(trigger)],
  ['Runs', ({ stats }) => html`<${RunCounts} of=${stats} />`],
  ['Held back', ({ stats }) => (stats.held > 0 ? number(stats.held) : '–')],
  ['Next moment', ({ next_at: at }) => html`<${Time} at=${at} />`],
];

export function Rules({ query }) {
  const { status } = Object.fromEntries(query);
  const list = useList(paths.rules, { status });
  const submit = (event) => {
    event.preventDefault();
    filterBy('rules', valuesOf(event.currentTarget));
  };
  const none = status ? 'No rule is like this.' : 'There is no rule yet. A program makes them by the API.';
  return html`
    <${Title} text="Rules" />
    <form class="filters" role="search" aria-label="Filter the rules" onSubmit=${submit}>
      <${Field} label="State"><${Choice} name="status" value=${status} options=${states} none="any" /><//>
      <button type="submit" class="second">Filter</button>
    </form>
    <${Listed} list=${list} caption="Rules, newest first" columns=${columns} none=${none} />
  `;
}
