import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { html } from './view.js';

const tones = {
  good: [
    'succeeded',
    'enabled',
    'delivered',
    'read',
    'sent',
    'received',
    'accepted',
    'in force',
    'completed',
    'connected',
    'live',
    'done',
  ],
  bad: ['failed', 'failing', 'disabled', 'revoked', 'auth_error', 'restricted'],
  wait: ['pending', 'queued', 'sending', 'running', 'held', 'paused', 'scheduled', 'unknown', 'waiting', 'calling'],
};

/** The word says it; the colour only helps. */
export function Badge({ state }) {
  const [tone] = Object.entries(tones).find(([, states]) => states.includes(state)) ?? ['plain'];
  return html`<span class=${`badge ${tone}`}>${state}</span>`;
}

export const Refused = ({ problem }) => html`<p class="error" role="alert">${problem?.message}</p>`;

let isFirst = true;

/** The heading of a view; it takes the focus when a view follows another, so that a screen reader goes on there. */
export function Title({ text }) {
  const heading = useRef();
  useEffect(() => {
    if (!isFirst) heading.current.focus();
    isFirst = false;
    announce('');
  }, []);
  useEffect(() => {
    document.title = `${text} – Kanal console`;
  }, [text]);
  return html`<h1 tabindex="-1" ref=${heading}>${text}</h1>`;
}

/** Pairs of a name and what stands for it. */
export const Facts = ({ of }) => html`
  <dl class="facts">
    ${of
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>
`;

/**
 * `columns`: a label and what it shows of a row. The roles stay when a narrow page sets the cells below each other,
 * where the label stands before each.
 */
export const Table = ({ caption, columns, rows, isBusy = false }) => html`
  <table role="table" aria-busy=${isBusy}>
    <caption class="unseen">${caption}</caption>
    <thead role="rowgroup">
      <tr role="row">${columns.map(([label]) => html`<th role="columnheader" scope="col" key=${label}>${label}</th>`)}</tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) => html`
          <tr role="row" key=${row.id}>
            ${columns.map(([label, cell]) => html`<td role="cell" data-label=${label} key=${label}>${cell(row)}</td>`)}
          </tr>
        `,
      )}
    </tbody>
  </table>
`;

/** A list of the API as `useList` reads it. */
export function Listed({ list, caption, columns, none }) {
  const { items, isLoaded, isBusy, problem, more } = list;
  if (!isLoaded) return problem ? html`<${Refused} problem=${problem} />` : html`<p class="quiet">Loading…</p>`;
  return html`
    <${Refused} problem=${problem} />
    ${items.length > 0 ? html`<${Table} caption=${caption} columns=${columns} rows=${items} isBusy=${isBusy} />` : html`<p>${none}</p>`}
    ${more && html`<p><button type="button" class="second" disabled=${isBusy} onClick=${more}>Show more</button></p>`}
  `;
}

export function Waiting({ loaded: { value, problem }, children }) {
  if (value === undefined) return problem ? html`<${Refused} problem=${problem} />` : html`<p class="quiet">Loading…</p>`;
  return html`<${Refused} problem=${problem} />${children(value)}`;
}

export const Field = ({ label, hint, children }) => html`
  <label class="field"><span>${label}</span>${children}${hint && html`<small class="quiet">${hint}</small>`}</label>
`;

/** Uncontrolled, as all inputs are: what is chosen stays while the view is drawn again. */
export const Choice = ({ name, value, options, none }) => html`
  <select name=${name}>
    ${none && html`<option value="">${none}</option>`}
    ${options.map(([known, label]) => html`<option key=${known} value=${known} selected=${known === value}>${label ?? known}</option>`)}
  </select>
`;

/** The values of a form by the names of its inputs. */
export const valuesOf = (form) => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
