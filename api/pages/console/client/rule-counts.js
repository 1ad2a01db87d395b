import { html } from './view.js';

export const number = (count) => count.toLocaleString('en');

const shown = ['running', 'queued', 'succeeded', 'failed', 'cancelled'];

/** The runs of a rule by state, in words: those that there are. */
export function RunCounts({ of: stats }) {
  const there = shown.filter((state) => stats[state] > 0);
  if (there.length === 0) return html`none yet`;
  return html`${there.map((state) => `${number(stats[state])} ${state}`).join(', ')}`;
}

/** `log`: it does nothing, which its state alone would not say. */
export const Mode = ({ mode }) => mode === 'log' && html`<span class="quiet">only logs</span>`;
