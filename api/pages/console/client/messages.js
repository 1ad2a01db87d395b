import { useList } from './loading.js';
import { Badge, Choice, Field, Listed, Title, valuesOf } from './parts.js';
import { filterBy, go, isId } from './route.js';
import { Time } from './time.js';
import { html } from './view.js';

const states = [['queued'], ['sending'], ['sent'], ['delivered'], ['read'], ['failed'], ['received']];

const columns = [
  ['Message', ({ id, type, direction }) => html`<a href=${`#/messages/${id}`}>${direction}, ${type}</a>`],
  ['State', ({ status }) => html`<${Badge} state=${status} />`],
  ['Person', ({ to_phone: phone }) => phone || '–'],
  ['Why', ({ failure }) => failure?.message ?? '–'],
  ['Accepted', ({ created_at: at }) => html`<${Time} at=${at} />`],
];

export function Messages({ query }) {
  const { status } = Object.fromEntries(query);
  const list = useList('messages', { status });
  const submit = (event) => {
    event.preventDefault();
    const { id, ...filters } = valuesOf(event.currentTarget);
    if (isId(id.trim())) go(`messages/${id.trim()}`);
    else filterBy('messages', filters);
  };
  return html`
    <${Title} text="Messages" />
    <form class="filters" role="search" aria-label="Find messages" onSubmit=${submit}>
      <${Field} label="State"><${Choice} name="status" value=${status} options=${states} none="any" /><//>
      <${Field} label="Message id"><input name="id" maxlength="40" autocapitalize="none" /><//>
      <button type="submit" class="second">Find</button>
    </form>
    <${Listed} list=${list} caption="Messages, newest first" columns=${columns} none="No message is like this." />
  `;
}
