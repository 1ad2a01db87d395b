import { html } from './view.js';

const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function agoOf(iso) {
  const distance = Date.parse(iso) - Date.now();
  const [unit, size] = units.find(([, ms]) => Math.abs(distance) >= ms) ?? units.at(-1);
  return relative.format(Math.round(distance / size), unit);
}

export const timeText = (iso) => full.format(new Date(iso));

/** In the browser's zone; how long ago beside it. */
export const Time = ({ at, none = '–' }) =>
  at ? html`<time datetime=${at} title=${at}>${timeText(at)} <span class="quiet">(${agoOf(at)})</span></time>` : none;

/** Of an input of the type datetime-local, which knows no zone. */
export const isoOfLocal = (text) => (text ? new Date(text).toISOString() : undefined);

export function localOf(date) {
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
