import { Badge, Facts } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const failureOf = ({ code, provider_code: provider, message }) =>
  `${code}${provider ? ` (provider’s code ${provider})` : ''}: ${message}`;

const Value = ({ label, value, isOpen }) =>
  value !== null &&
  html`<details open=${isOpen}><summary>${label}</summary><pre tabindex="0">${JSON.stringify(value, null, 2)}</pre></details>`;

const Step = ({ of: { number, step_id: id, type, state, attempt, input, output, error, started_at, ended_at } }) => html`
  <li>
    <h3>${number}. ${type} <code>${id}</code> <${Badge} state=${state} /></h3>
    <${Facts}
      of=${[
        ['What went wrong', error && html`<span class="error">${failureOf(error)}</span>`],
        ['Began', html`<${Time} at=${started_at} />`],
        ['Ended', ended_at && html`<${Time} at=${ended_at} />`],
        ['Attempts', attempt],
      ]}
    />
    <${Value} label="Input" value=${input} isOpen=${state === 'failed'} />
    <${Value} label="Output" value=${output} isOpen=${false} />
  </li>
`;

/** In the order in which they were taken. */
export const RunSteps = ({ steps }) =>
  steps.length > 0
    ? html`<ol class="story">${steps.map((step) => html`<${Step} key=${step.number} of=${step} />`)}</ol>`
    : html`<p>It has taken no step yet.</p>`;
