import { get, paths } from './api.js';
import { useList, useLoaded } from './loading.js';
import { Badge, Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy, isId } from './route.js';
import { Mode } from './rule-counts.js';
import { endReasons, waitingText } from './rule-words.js';
import { RunsActions } from './runs-actions.js';
import { isoOfLocal, Time } from './time.js';
import { html } from './view.js';

const states = [['queued'], ['running'], ['succeeded'], ['failed'], ['cancelled']];

const Waits = ({ of: { waiting_for: type, wakes_at: at } }) =>
  type ? html`${waitingText(type)}, until <${Time} at=${at} />` : '–';

const whyOf = ({ error, reason }) => error?.message ?? endReasons[reason] ?? (reason || '–');

const columns = [
  ['Run', ({ id, subject_type: type, subject_id: subject }) => html`<a href=${`#/runs/${id}`}>${type} ${subject}</a>`],
  ['State', ({ state, mode }) => html`<${Badge} state=${state} /> <${Mode} mode=${mode} />`],
  ['Waits for', (row) => html`<${Waits} of=${row} />`],
  ['Why', whyOf],
  ['Began', ({ created_at: at }) => html`<${Time} at=${at} />`],
  ['Ended', ({ ended_at: at }) => html`<${Time} at=${at} />`],
];

/** A page of runs is of a few rules: their names are asked for once. */
function useNames(items) {
  const ids = [...new Set(items.map(({ rule_id: id }) => id))];
  const nameOf = (id, signal) =>
    get(paths.rule(id), {}, signal).then(
      ({ name }) => [id, name],
      () => [id, undefined],
    );
  const load = async (signal) => new Map(await Promise.all(ids.map((id) => nameOf(id, signal))));
  return useLoaded(load, [ids.join()]).value ?? new Map();
}

const ruleColumn = (names) => [
  'Rule',
  ({ rule_id: id }) => (names.get(id) ? html`<a href=${`#/rules/${id}`}>${names.get(id)}</a>` : html`<code>${id}</code>`),
];

const Listing = ({ list, columns: shown }) => html`
  <${Listed} list=${list} caption="Runs, newest first" columns=${shown} none="No run is like this." />
`;

/** The same filter once more reads the list anew. */
const Filters = ({ path, list, children }) => {
  const submit = (event) => {
    event.preventDefault();
    filterBy(path, valuesOf(event.currentTarget));
    list.again();
  };
  return html`
    <form class="filters" role="search" aria-label="Filter the runs" onSubmit=${submit}>
      ${children}
      <button type="submit" class="second">Filter</button>
    </form>
  `;
};

export function RunsOfRule({ ruleId, path, query, may }) {
  const { state } = Object.fromEntries(query);
  const list = useList(paths.runs, { rule_id: ruleId, state });
  return html`
    <${RunsActions} ruleId=${ruleId} may=${may} />
    <${Filters} path=${path} list=${list}>
      <${Field} label="State"><${Choice} name="state" value=${state} options=${states} none="any" /><//>
    <//>
    <${Listing} list=${list} columns=${columns} />
  `;
}

/** Of all rules; `contact_id`: of one person. */
export function Runs({ query }) {
  const { state, contact_id: contact, since } = Object.fromEntries(query);
  const contactId = contact?.trim();
  const list = useList(paths.runs, { state, contact_id: contactId, since: isoOfLocal(since) });
  const names = useNames(list.items);
  const isPerson = contactId && isId(contactId);
  return html`
    <${Title} text=${isPerson ? 'Runs about a person' : 'Runs'} />
    <${Filters} path="runs" list=${list}>
      <${Field} label="State"><${Choice} name="state" value=${state} options=${states} none="any" /><//>
      <${Field} label="Person, by the id of the contact">
        <input name="contact_id" defaultValue=${contact ?? ''} maxlength="40" autocapitalize="none" />
      <//>
      <${Field} label="Began since"><input name="since" type="datetime-local" defaultValue=${since ?? ''} /><//>
    <//>
    <${Listing} list=${list} columns=${[columns[0], ruleColumn(names), ...columns.slice(1)]} />
  `;
}
