import { Facts, Table } from './parts.js';
import { Time, timeText } from './time.js';
import { html } from './view.js';

const percent = (rate) => (rate === null ? '–' : `${(100 * rate).toFixed(rate === 1 ? 0 : 1)} %`);
const ms = (value) => (value === null ? '–' : `${value} ms`);
const barHeight = 48;

function rateOf(buckets) {
  const attempts = buckets.reduce((sum, { attempts: n }) => sum + n, 0);
  const succeeded = buckets.reduce((sum, { succeeded: n }) => sum + n, 0);
  return attempts === 0 ? null : succeeded / attempts;
}

/** A bar an hour: what succeeded below, what failed above. The same figures stand in the table. */
function Bars({ hours }) {
  const highest = Math.max(1, ...hours.map(({ attempts }) => attempts));
  const height = (count) => (barHeight * count) / highest;
  return html`
    <svg class="bars" viewBox=${`0 0 ${hours.length * 10} ${barHeight}`} preserveAspectRatio="none" role="img" aria-label="Attempts of each hour, listed below">
      ${hours.map(({ from, attempts, succeeded }, at) => {
        const [good, bad] = [height(succeeded), height(attempts - succeeded)];
        return html`
          <g key=${from}>
            <title>${`${timeText(from)}: ${succeeded} of ${attempts} succeeded`}</title>
            <rect class="good" x=${at * 10 + 1} width="8" y=${barHeight - good} height=${good} />
            <rect class="bad" x=${at * 10 + 1} width="8" y=${barHeight - good - bad} height=${bad} />
          </g>
        `;
      })}
    </svg>
  `;
}

const columns = [
  ['From', ({ from }) => timeText(from)],
  ['Attempts', ({ attempts }) => attempts],
  ['Succeeded', ({ success_rate: rate }) => percent(rate)],
  ['p50', ({ p50_ms: value }) => ms(value)],
  ['p99', ({ p99_ms: value }) => ms(value)],
];
const withAttempts = (buckets) =>
  buckets.filter(({ attempts }) => attempts > 0).map((bucket) => ({ ...bucket, id: bucket.from }));

const Figures = ({ label, buckets }) => html`
  <details>
    <summary>${label}</summary>
    <${Table} caption=${label} columns=${columns} rows=${withAttempts(buckets).reverse()} />
  </details>
`;

export const Health = ({ stats: { backlog, hours, days, ...times } }) => html`
  <${Facts}
    of=${[
      ['Succeeded, last 24 hours', percent(rateOf(hours))],
      ['Succeeded, last 30 days', percent(rateOf(days))],
      ['Last hour, p50 and p99', `${ms(hours.at(-1)?.p50_ms ?? null)}, ${ms(hours.at(-1)?.p99_ms ?? null)}`],
      ['Pending', backlog.pending],
      ['Failed', backlog.failed],
      ['Cancelled', backlog.cancelled],
      ['Oldest overdue', html`<${Time} at=${times.oldest_overdue_at} none="none" />`],
      ['Next attempt', html`<${Time} at=${times.next_attempt_at} />`],
      ['Last attempt', html`<${Time} at=${times.last_attempt_at} none="never" />`],
      ['Last success', html`<${Time} at=${times.last_success_at} none="never" />`],
    ]}
  />
  <${Bars} hours=${hours} />
  <${Figures} label="By hour" buckets=${hours} />
  <${Figures} label="By day" buckets=${days} />
`;
