import { useEffect, useRef } from 'preact/hooks';
import { paths } from './api.js';
import { useList } from './loading.js';
import { Badge, Facts, Refused } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const phasesOf = (phases) =>
  Object.entries(phases)
    .map(([name, ms]) => `${name} ${ms} ms`)
    .join(', ');

const Attempt = ({ of }) => html`
  <li>
    <h3>Attempt ${of.number} <${Badge} state=${of.error_class === null ? 'succeeded' : 'failed'} /></h3>
    <${Facts}
      of=${[
        ['Ended', html`<${Time} at=${of.created_at} />`],
        ['Caused by', of.trigger],
        ['Answer', of.status === null ? 'none' : `HTTP ${of.status}`],
        ['Why it failed', of.error_class && `${of.error_class}: ${of.error ?? ''}`],
        ['Failed at', of.phase],
        ['Took', `${of.duration_ms} ms`],
        ['Of that', of.phases && phasesOf(of.phases)],
        ['Next attempt', of.next_attempt_at && html`<${Time} at=${of.next_attempt_at} />`],
      ]}
    />
    ${of.response_head && html`<details><summary>What the endpoint answered</summary><pre tabindex="0">${of.response_head}</pre></details>`}
  </li>
`;

/** `made`: how many there are; when it changes, the list is read again. */
export function Attempts({ deliveryId, made }) {
  const list = useList(`${paths.delivery(deliveryId)}/attempts`);
  const known = useRef(made);
  useEffect(() => {
    if (known.current !== made) list.again();
    known.current = made;
  }, [made]);
  return html`
    <section aria-labelledby="attempts">
      <h2 id="attempts">Attempts, the last one first</h2>
      <${Refused} problem=${list.problem} />
      ${list.isLoaded && list.items.length === 0 && html`<p>There is none, or it is older than attempts are kept.</p>`}
      <ol class="story">${list.items.map((attempt) => html`<${Attempt} key=${attempt.id} of=${attempt} />`)}</ol>
      ${list.more && html`<p><button type="button" class="second" disabled=${list.isBusy} onClick=${list.more}>Show more</button></p>`}
    </section>
  `;
}
