import { steps } from './campaign-words.js';
import { Facts } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const number = (count) => count.toLocaleString('en');
const settled = ['sent', 'delivered', 'read', 'failed', 'skipped'];
const doneOf = (counts) => settled.reduce((sum, status) => sum + counts[status], 0);
const toneOf = Object.fromEntries(steps.map(([status, , tone]) => [status, tone]));
const inBar = steps.map(([status]) => status);

/** Parts of a whole in the order of their steps. The same numbers stand beside it in words. */
function Bar({ counts }) {
  let from = 0;
  const parts = inBar.map((status) => {
    const part = { status, x: from, width: (100 * counts[status]) / Math.max(1, counts.total) };
    from += part.width;
    return part;
  });
  return html`
    <svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      ${parts
        .filter(({ width }) => width > 0)
        .map(
          ({ status, x, width }) => html`<rect key=${status} class=${toneOf[status]} x=${x} width=${width} y="0" height="8" />`,
        )}
    </svg>
  `;
}

const wordsOf = (counts) =>
  counts.total === 0 ? 'no recipients yet' : `${number(doneOf(counts))} of ${number(counts.total)} done`;

/** In a row of the list. */
export const Progress = ({ of: { counts, as_of: at } }) => html`
  <${Bar} counts=${counts} />
  <span>${wordsOf(counts)}${counts.failed > 0 && `, ${number(counts.failed)} failed`}</span>
  <span class="quiet"> as of <${Time} at=${at} /></span>
`;

export const Counts = ({ of: { counts, in_flight: inFlight, as_of: at } }) => html`
  <${Bar} counts=${counts} />
  <p>${wordsOf(counts)} <span class="quiet">as of <${Time} at=${at} /></span></p>
  <${Facts}
    of=${[
      ['Recipients', number(counts.total)],
      ...steps.map(([status, label]) => [label, number(status === 'queued' ? inFlight : counts[status])]),
    ]}
  />
`;
