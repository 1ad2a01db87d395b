import { useEffect } from 'preact/hooks';
import { get, paths } from './api.js';
import { Progress } from './campaign-progress.js';
import { useList, useLoaded } from './loading.js';
import { Badge, Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy } from './route.js';
import { Time } from './time.js';
import { html } from './view.js';

const lookMs = 4000;
/** As many as may be open at once: one page has all. */
const limit = 100;
const states = [['draft'], ['scheduled'], ['running'], ['paused'], ['completed'], ['cancelled'], ['failed']];
const isRunning = ({ status }) => status === 'running';
const mayMove = ({ status }) => status === 'running' || status === 'scheduled';

const columns = [
  ['Campaign', ({ id, name }) => html`<a href=${`#/campaigns/${id}`}>${name}</a>`],
  ['State', ({ status }) => html`<${Badge} state=${status} />`],
  ['Progress', (row) => html`<${Progress} of=${row} />`],
  ['Starts', ({ start_at: at }) => html`<${Time} at=${at} />`],
  ['Ended', ({ ended_at: at }) => html`<${Time} at=${at} />`],
];

/** The rows as they are now. One request tells of all that run; the list is read again only when one began or stopped. */
function useNow(list) {
  const { items, again } = list;
  const isMoving = items.some(mayMove);
  const { value = [] } = useLoaded(
    async (signal) => (isMoving ? (await get(paths.campaigns, { status: 'running', limit }, signal)).items : []),
    [isMoving],
    () => (isMoving ? lookMs : undefined),
  );
  const running = new Map(value.map((one) => [one.id, one]));
  useEffect(() => {
    if (isMoving && items.some((row) => mayMove(row) && isRunning(row) !== running.has(row.id))) again();
  }, [value]);
  return { ...list, items: items.map((row) => running.get(row.id) ?? row) };
}

export function Campaigns({ query }) {
  const { status } = Object.fromEntries(query);
  const list = useNow(useList(paths.campaigns, { status }));
  const submit = (event) => {
    event.preventDefault();
    filterBy('campaigns', valuesOf(event.currentTarget));
  };
  return html`
    <${Title} text="Campaigns" />
    <form class="filters" role="search" aria-label="Filter the campaigns" onSubmit=${submit}>
      <${Field} label="State"><${Choice} name="status" value=${status} options=${states} none="any" /><//>
      <button type="submit" class="second">Filter</button>
    </form>
    <${Listed} list=${list} caption="Campaigns, newest first" columns=${columns} none="No campaign is like this." />
  `;
}
