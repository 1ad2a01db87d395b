import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { get, paths } from './api.js';
import { useLoaded } from './loading.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { RuleActions } from './rule-actions.js';
import { RuleResults } from './rule-results.js';
import { pausedReasons, triggerText } from './rule-words.js';
import { RunsOfRule } from './runs.js';
import { Time } from './time.js';
import { html } from './view.js';

const lookMs = 10_000;

/** What it runs with is a version; the rule itself shows the draft. */
async function read(id, signal) {
  const rule = await get(paths.rule(id), {}, signal);
  const runsWithDraft = rule.version === 0 || !rule.has_changes;
  return { rule, running: runsWithDraft ? rule : await get(`${paths.rule(id)}/versions/${rule.version}`, {}, signal) };
}

const Why = ({ reason }) => {
  const [what, todo] = pausedReasons[reason] ?? [reason, ''];
  return html`<p><strong>${what}</strong> ${todo}</p>`;
};

const versionText = ({ version, has_changes: hasChanges }) => {
  if (version === 0) return 'none: never published';
  return hasChanges ? `${version}; the draft has changes` : version;
};

const About = ({ rule, running }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${rule.status} />`],
      ['Mode', rule.mode === 'log' ? 'log: its steps do nothing, and show what they would do' : rule.mode],
      ['Begins with', triggerText(running.trigger)],
      ['Draft begins with', running === rule ? undefined : triggerText(rule.trigger)],
      ['Version', versionText(rule)],
      ['Next moment', rule.next_at && html`<${Time} at=${rule.next_at} />`],
      ['Published', rule.published_at && html`<${Time} at=${rule.published_at} />`],
      ['Created', html`<${Time} at=${rule.created_at} />`],
    ]}
  />
`;

const textOf = ({ trigger, conditions, steps, concurrency, exit_when, limits }) =>
  JSON.stringify({ trigger, conditions, steps, concurrency, exit_when, limits }, null, 2);

const Definition = ({ label, of }) => html`<details><summary>${label}</summary><pre tabindex="0">${textOf(of)}</pre></details>`;

const Definitions = ({ rule, running }) => html`
  <section aria-labelledby="definition">
    <h2 id="definition">What it does</h2>
    ${rule.version > 0 && html`<${Definition} label=${`Version ${rule.version}, with which it runs`} of=${running} />`}
    ${(rule.version === 0 || running !== rule) && html`<${Definition} label="The draft" of=${rule} />`}
  </section>
`;

export function Rule({ id, path, query, may }) {
  const loaded = useLoaded(
    (signal) => read(id, signal),
    [id],
    () => lookMs,
  );
  const status = loaded.value?.rule.status;
  const before = useRef();
  useEffect(() => {
    if (before.current && status !== before.current) announce(`The rule is ${status}.`);
    before.current = status;
  }, [status]);
  return html`
    <${Title} text=${loaded.value?.rule.name ?? 'Rule'} />
    <${Waiting} loaded=${loaded}>
      ${({ rule, running }) => html`
        ${rule.paused_reason && html`<${Why} reason=${rule.paused_reason} />`}
        <${About} rule=${rule} running=${running} />
        <${RuleActions} rule=${rule} may=${may} changed=${loaded.again} />
        <${Definitions} rule=${rule} running=${running} />
        <section aria-labelledby="results"><h2 id="results">Results</h2><${RuleResults} id=${id} delayMs=${lookMs} status=${status} /></section>
      `}
    <//>
    <section aria-labelledby="runs"><h2 id="runs">Runs</h2><${RunsOfRule} ruleId=${id} path=${path} query=${query} may=${may} /></section>
  `;
}
