import { useEffect, useRef } from 'preact/hooks';
import { announce } from './announce.js';
import { get, paths } from './api.js';
import { CampaignActions } from './campaign-actions.js';
import { Counts } from './campaign-progress.js';
import { CampaignResults } from './campaign-results.js';
import { reasons } from './campaign-words.js';
import { useLoaded } from './loading.js';
import { Badge, Facts, Title, Waiting } from './parts.js';
import { Time } from './time.js';
import { html } from './view.js';

const runningLookMs = 3000;
/** Of others too: somebody else may move it, and people read what was sent. */
const lookMs = 10_000;
const delayOf = ({ status }) => (status === 'running' ? runningLookMs : lookMs);

const templatesOf = ({ variants }) => [
  ...new Set(variants.flatMap(({ templates }) => templates.map(({ name, language }) => `${name} (${language})`))),
];

const Why = ({ reason }) => {
  const [what, todo] = reasons[reason] ?? [reason, ''];
  return html`<p><strong>${what}</strong> ${todo}</p>`;
};

const About = ({ of }) => html`
  <${Facts}
    of=${[
      ['State', html`<${Badge} state=${of.status} />`],
      ['Phase', of.phase],
      ['Templates', templatesOf(of).join(', ') || 'none yet'],
      ['Messages a minute', of.pace.per_minute],
      ['Starts', of.start_at && html`<${Time} at=${of.start_at} />`],
      ['Started', of.started_at && html`<${Time} at=${of.started_at} />`],
      ['Paused', of.status === 'paused' ? html`<${Time} at=${of.paused_at} />` : undefined],
      ['Ended', of.ended_at && html`<${Time} at=${of.ended_at} />`],
      ['Created', html`<${Time} at=${of.created_at} />`],
    ]}
  />
`;

const Channel = ({ id, may }) => {
  const { value } = useLoaded(
    async (signal) => (may('channels:read') ? await get(paths.channel(id), {}, signal) : undefined),
    [id],
  );
  if (!value) return html`<li><code>${id}</code></li>`;
  return html`<li>${value.name || value.display_phone} <${Badge} state=${value.status} /></li>`;
};

export function Campaign({ id, may }) {
  const loaded = useLoaded((signal) => get(paths.campaign(id), {}, signal), [id], delayOf);
  const status = loaded.value?.status;
  const before = useRef();
  useEffect(() => {
    if (before.current && status !== before.current) announce(`The campaign is ${status}.`);
    before.current = status;
  }, [status]);
  return html`
    <${Title} text=${loaded.value?.name ?? 'Campaign'} />
    <${Waiting} loaded=${loaded}>
      ${(campaign) => html`
        ${campaign.reason && html`<${Why} reason=${campaign.reason} />`}
        <${About} of=${campaign} />
        <${CampaignActions} campaign=${campaign} may=${may} changed=${loaded.again} />
        <section aria-labelledby="progress"><h2 id="progress">Progress</h2><${Counts} of=${campaign} /></section>
        <section aria-labelledby="results"><h2 id="results">Results</h2><${CampaignResults} id=${id} delayMs=${delayOf(campaign)} status=${status} /></section>
        <section aria-labelledby="channels">
          <h2 id="channels">Channels</h2>
          ${
            campaign.channel_ids.length > 0
              ? html`<ul>${campaign.channel_ids.map((channelId) => html`<${Channel} key=${channelId} id=${channelId} may=${may} />`)}</ul>`
              : html`<p>None yet.</p>`
          }
        </section>
      `}
    <//>
  `;
}
