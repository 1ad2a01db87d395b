import { useList } from './loading.js';
import { Badge, Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy, isId } from './route.js';
import { isoOfLocal, Time } from './time.js';
import { html } from './view.js';

const states = [['queued'], ['running'], ['paused'], ['succeeded'], ['failed'], ['cancelled']];

/** Of webhooks it is a time, of runs an id. */
const isTime = (reached) => reached !== undefined && !isId(reached);

export function progressOf({ progress }) {
  if (!progress) return '–';
  const { done, rows, deliveries, left, reached } = progress;
  const count = done ?? rows ?? deliveries;
  return html`${count === undefined ? '–' : `${count.toLocaleString('en')} done`}${left > 0 && `, ${left.toLocaleString('en')} could not be`}
  ${isTime(reached) && html`, up to those of <${Time} at=${reached} />`}`;
}

const columns = [
  ['Operation', ({ id, name }) => html`<a href=${`#/operations/${id}`}>${name}</a>`],
  ['State', ({ status }) => html`<${Badge} state=${status} />`],
  ['Progress', progressOf],
  ['Asked for', ({ created_at: at }) => html`<${Time} at=${at} />`],
  ['Ended', ({ finished_at: at }) => html`<${Time} at=${at} />`],
];

export function Operations({ query }) {
  const { name, status, since } = Object.fromEntries(query);
  const list = useList('operations', { name, status, since: isoOfLocal(since) });
  const submit = (event) => {
    event.preventDefault();
    filterBy('operations', valuesOf(event.currentTarget));
  };
  return html`
    <${Title} text="Operations" />
    <form class="filters" role="search" aria-label="Filter the operations" onSubmit=${submit}>
      <${Field} label="Kind">
        <input name="name" defaultValue=${name ?? ''} maxlength="100" placeholder="webhooks.recover" autocapitalize="none" />
      <//>
      <${Field} label="State"><${Choice} name="status" value=${status} options=${states} none="any" /><//>
      <${Field} label="Asked for since"><input name="since" type="datetime-local" defaultValue=${since ?? ''} /><//>
      <button type="submit" class="second">Filter</button>
    </form>
    <${Listed} list=${list} caption="Operations, newest first" columns=${columns} none="No operation is like this." />
  `;
}
