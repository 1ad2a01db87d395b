import { get, paths } from './api.js';
import { skips } from './campaign-words.js';
import { useLoaded } from './loading.js';
import { Facts, Table, Waiting } from './parts.js';
import { html } from './view.js';

const number = (count) => count.toLocaleString('en');
const rowsOf = (counts) =>
  Object.entries(counts)
    .map(([id, count]) => ({ id, count }))
    .sort((one, other) => other.count - one.count);

const skipped = [
  ['Reason', ({ id }) => html`${skips[id] ?? id} <span class="quiet">${id}</span>`],
  ['Recipients', ({ count }) => number(count)],
];
const failed = [
  ['Code', ({ id }) => html`<code>${id}</code>`],
  ['Recipients', ({ count }) => number(count)],
];

const Listing = ({ title, columns, counts, none }) => html`
  <section>
    <h3>${title}</h3>
    ${Object.keys(counts).length > 0 ? html`<${Table} caption=${title} columns=${columns} rows=${rowsOf(counts)} />` : html`<p>${none}</p>`}
  </section>
`;

/** What people did, why some were skipped, and why messages failed. */
export function CampaignResults({ id, delayMs, status }) {
  const loaded = useLoaded(
    (signal) => get(`${paths.campaign(id)}/stats`, {}, signal),
    [id, status],
    () => delayMs,
  );
  return html`
    <${Waiting} loaded=${loaded}>
      ${(stats) => html`
        <${Facts}
          of=${[['Replied', number(stats.replied)], ['Clicked', number(stats.clicked)], ['Opted out', number(stats.opted_out)]]}
        />
        <${Listing} title="Who was not written to" columns=${skipped} counts=${stats.skipped} none="Nobody was skipped." />
        <${Listing} title="Why messages failed" columns=${failed} counts=${stats.failed} none="No message failed." />
      `}
    <//>
  `;
}
