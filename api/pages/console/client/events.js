import { useList } from './loading.js';
import { Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy } from './route.js';
import { isoOfLocal, Time } from './time.js';
import { html } from './view.js';

const columns = [
  ['Event', ({ id, type }) => html`<a href=${`#/events/${id}`}>${type}</a>`],
  ['When', ({ timestamp }) => html`<${Time} at=${timestamp} />`],
  ['About', ({ subject }) => html`${subject.type} <code>${subject.id}</code>`],
];
const outcomes = [
  ['false', 'not delivered everywhere'],
  ['true', 'delivered everywhere'],
];

export function Events({ path, query }) {
  const { type, subject, since, delivered } = Object.fromEntries(query);
  const list = useList('events', { type, subject, since: isoOfLocal(since), delivered });
  const submit = (event) => {
    event.preventDefault();
    filterBy(path || 'events', valuesOf(event.currentTarget));
  };
  return html`
    <${Title} text="Events" />
    <form class="filters" role="search" aria-label="Filter the events" onSubmit=${submit}>
      <${Field} label="Type"><input name="type" defaultValue=${type ?? ''} maxlength="1000" placeholder="message.*" autocapitalize="none" /><//>
      <${Field} label="About">
        <input name="subject" defaultValue=${subject ?? ''} maxlength="100" placeholder="conversation:<id>" autocapitalize="none" />
      <//>
      <${Field} label="Since"><input name="since" type="datetime-local" defaultValue=${since ?? ''} /><//>
      <${Field} label="Webhooks"><${Choice} name="delivered" value=${delivered} options=${outcomes} none="any" /><//>
      <button type="submit" class="second">Filter</button>
    </form>
    <${Listed} list=${list} caption="Events, newest first" columns=${columns} none="No event is like this." />
  `;
}
