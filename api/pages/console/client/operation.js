import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { get, paths, post } from './api.js';
import { Acting, Asking } from './asking.js';
import { useLoaded } from './loading.js';
import { callable, pausable, scopeToControl } from './operation-control.js';
import { progressOf } from './operations.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const lookMs = 1000;
const pausedLookMs = 5000;
const open = ['queued', 'running', 'paused'];

function Controls({ of: { id, name, status }, changed }) {
  const act = (what) => async () => {
    await post(`${paths.operation(id)}/${what}`);
    changed();
  };
  if (!open.includes(status)) return null;
  return html`
    <div class="actions">
      ${pausable.includes(name) && status === 'paused' && html`<${Acting} key="resume" label="Resume" act=${act('resume')} />`}
      ${pausable.includes(name) && status !== 'paused' && html`<${Acting} key="pause" label="Pause" act=${act('pause')} isSecond />`}
      ${
        callable.includes(name) &&
        html`
          <${Asking} label="Call off…" title="Call off this operation" action="Call it off" isDanger act=${act('cancel')}>
            <p>What it has done so far stays done.</p>
          <//>
        `
      }
    </div>
  `;
}

export function Operation({ id, may }) {
  const loaded = useLoaded(
    (signal) => get(paths.operation(id), {}, signal),
    [id],
    ({ status }) => (status === 'paused' ? pausedLookMs : open.includes(status) ? lookMs : undefined),
  );
  const status = loaded.value?.status;
  const before = useRef();
  useEffect(() => {
    if (before.current && status !== before.current) announce(`The operation is ${status}.`);
    before.current = status;
  }, [status]);
  return html`
    <${Title} text=${`Operation ${loaded.value?.name ?? ''}`} />
    <${Waiting} loaded=${loaded}>
      ${(operation) => html`
        ${['queued', 'running'].includes(operation.status) && html`<progress aria-label="Under way"></progress>`}
        <${Facts}
          of=${[
            ['State', html`<${Badge} state=${operation.status} />`],
            ['Progress', progressOf(operation)],
            ['Why', operation.error && `${operation.error.code}: ${operation.error.message}`],
            ['About', html`${operation.subject.type} <code>${operation.subject.id}</code>`],
            ['Asked for', html`<${Time} at=${operation.created_at} />`],
            ['Ended', operation.finished_at && html`<${Time} at=${operation.finished_at} />`],
          ]}
        />
        ${may(scopeToControl(operation)) && html`<${Controls} of=${operation} changed=${loaded.again} />`}
      `}
    <//>
  `;
}
