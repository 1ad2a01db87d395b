import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { get, paths } from './api.js';
import { useLoaded } from './loading.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { isId } from './route.js';
import { Mode } from './rule-counts.js';
import { begunBy, endReasons, waitingText } from './rule-words.js';
import { RunActions } from './run-actions.js';
import { RunSteps } from './run-steps.js';
import { Time } from './time.js';
import { html } from './view.js';

const runningLookMs = 3000;
const waitingLookMs = 10_000;
const live = ['queued', 'running'];

function delayOf({ run: { state, waiting_for: waitsFor } }) {
  if (!live.includes(state)) return undefined;
  return waitsFor ? waitingLookMs : runningLookMs;
}

const unlessGone = (problem) => {
  if (problem.status !== 404) throw problem;
};

/** With its rule, unless that was deleted. */
async function read(id, signal) {
  const run = await get(paths.run(id), {}, signal);
  return { run, rule: await get(paths.rule(run.rule_id), {}, signal).catch(unlessGone) };
}

const Cause = ({ of: { trigger, event_id: eventId, started_by: by }, may }) => {
  const [kind, id] = by.split(':');
  const what = begunBy[trigger] ?? trigger;
  if (kind === 'run' && isId(id)) return html`${what}, in <a href=${`#/runs/${id}`}>its run</a>`;
  if (eventId && may('events:read')) return html`${what}: <a href=${`#/events/${eventId}`}>see the event</a>`;
  return by ? html`${what}: <code>${by}</code>` : what;
};

/** The event that it waits for stands in its step. */
const Awaited = ({ of: { steps, waiting_for: type, wakes_at: at } }) => {
  const event = steps.findLast(({ state }) => state === 'waiting')?.input?.event;
  return html`${waitingText(type, event)}, until <${Time} at=${at} />`;
};

const Person = ({ id }) => html`<a href=${`#/runs?contact_id=${id}`}>All runs about the person</a> <code>${id}</code>`;

const About = ({ run, rule, may }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${run.state} /> <${Mode} mode=${run.mode} />`],
      ['Waits for', run.waiting_for && html`<${Awaited} of=${run} />`],
      ['Why', (run.error && `${run.error.code}: ${run.error.message}`) ?? (endReasons[run.reason] || run.reason || undefined)],
      ['Failed in', run.failed_step && html`<code>${run.failed_step}</code>`],
      ['Rule', html`${rule ? html`<a href=${`#/rules/${rule.id}`}>${rule.name}</a>` : 'deleted'}, version ${run.version}`],
      ['Begun by', html`<${Cause} of=${run} may=${may} />`],
      ['About', html`${run.subject_type} <code>${run.subject_id}</code>`],
      ['Person', run.contact_id && html`<${Person} id=${run.contact_id} />`],
      ['Moment', run.occurs_at && html`<${Time} at=${run.occurs_at} />`],
      ['Steps taken', run.steps_run],
      ['Retries', run.retries],
      ['Began', html`<${Time} at=${run.created_at} />`],
      ['Ended', run.ended_at && html`<${Time} at=${run.ended_at} />`],
    ]}
  />
`;

export function Run({ id, may }) {
  const loaded = useLoaded((signal) => read(id, signal), [id], delayOf);
  const state = loaded.value?.run.state;
  const before = useRef();
  useEffect(() => {
    if (before.current && state !== before.current) announce(`The run is ${state}.`);
    before.current = state;
  }, [state]);
  return html`
    <${Title} text=${loaded.value?.rule ? `Run of ${loaded.value.rule.name}` : 'Run'} />
    <${Waiting} loaded=${loaded}>
      ${({ run, rule }) => html`
        <${About} run=${run} rule=${rule} may=${may} />
        <${RunActions} run=${run} may=${may} changed=${loaded.again} />
        <section aria-labelledby="steps"><h2 id="steps">Its steps</h2><${RunSteps} steps=${run.steps} /></section>
        ${
          Object.keys(run.vars).length > 0 &&
          html`<section aria-labelledby="vars"><h2 id="vars">Its variables</h2><pre tabindex="0">${JSON.stringify(run.vars, null, 2)}</pre></section>`
        }
      `}
    <//>
  `;
}
