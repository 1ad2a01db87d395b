import { ask } from '../start/local-http.ts';
import { createEndpoint } from './endpoint.ts';
import { callsFor, stepOfCall } from './provider.ts';
import { chapterOn, Missing, type Play, request, type Stage, shortId } from './stage.ts';
import { webhooksOf } from './webhooks.ts';

type Counts = Record<'total' | 'pending' | 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | 'skipped', number>;
type Campaign = { id: string; name: string; status: string; reason: string; counts: Counts };
type Preview = { counts: { audience: number; would_send: number; consent_required: number }; samples: { body: string }[] };
type Recipient = {
  contact_id: string;
  contact: { name: string };
  status: string;
  reason: string;
  message_id: string | null;
};

const path = '/v1/campaigns';

/** A campaign from its draft to the history of one contact. */
export const playCampaign: Play = async (stage, onEndpoint) => {
  const chapter = chapterOn(stage);
  await chapter('Your app says where its webhooks go', async () => onEndpoint(await createEndpoint(stage)));
  const { id } = await chapter('Your app copies the draft, so that it can be played again', () => copy(stage));
  const people = await chapter('Your app asks who would get it, and what', () => preview(stage, id));
  const recipients = await chapter('Your app starts it', () => start(stage, id, people));
  await chapter('The people read it', () => everybodyReads(stage, id, recipients));
  await chapter('Your app asks who got it', () => whoGotIt(stage, id));
  const sent = recipients.flatMap(({ message_id }) => message_id ?? []);
  return { sent, received: 0, rest: { what: 'Campaign', outcome: 'completed', note: `its statistics at ${path}/{id}/stats` } };
};

const told = ({ status, body }: { status: number; body: Campaign }) => ({
  what: `${status} ${body.status}`,
  note: `campaign ${shortId(body.id)}, ${body.name}`,
});

const copy = (stage: Stage) =>
  request<Campaign>(stage, `${path}/${stage.installation.campaign.id}/duplicate`, 201, { method: 'POST', body: {} }, told);

async function preview(stage: Stage, id: string) {
  const { counts } = await request<Preview>(
    stage,
    `${path}/${id}/preview`,
    200,
    { method: 'POST', body: {} },
    ({ status, body }) => ({
      what: `${status} ${body.counts.would_send} of ${body.counts.audience}`,
      note: `${body.counts.consent_required} without consent; "${body.samples[0]?.body}"`,
    }),
  );
  if (counts.would_send === 0) throw new Missing('Somebody in the segment who agreed to be written to');
  return counts;
}

/** Until nobody waits any more: each person's message at the provider, and what the webhooks say of the campaign. */
async function start(stage: Stage, id: string, { audience, would_send }: Preview['counts']): Promise<Recipient[]> {
  await request<Campaign>(stage, `${path}/${id}/start`, 200, { method: 'POST', body: {} }, told);
  await webhooksOf(stage, id, [
    'campaign.status_update running',
    'campaign.status_update completed',
    'campaign.completed completed',
  ]);
  const recipients = await recipientsOf(stage, id);
  const sent = recipients.flatMap(({ message_id }) => message_id ?? []);
  if (recipients.length !== audience || sent.length !== would_send)
    throw new Missing(`${would_send} messages to ${audience} recipients: there were ${sent.length} to ${recipients.length}`);
  for (const messageId of sent) stage.timeline.add(...(await callsFor(stage, messageId)).map(stepOfCall));
  return recipients;
}

async function recipientsOf({ installation, signal }: Stage, id: string): Promise<Recipient[]> {
  const { base_url, api_key: key } = installation;
  const answer = await ask<{ items: Recipient[] }>(`${base_url}${path}/${id}/recipients?limit=100`, { key, signal });
  if (answer?.status !== 200) throw new Missing(`The recipients of the campaign ${id}: the answer was ${answer?.status}`);
  return answer.body.items;
}

async function everybodyReads(stage: Stage, id: string, recipients: Recipient[]) {
  const messageIds = recipients.flatMap(({ message_id }) => message_id ?? []);
  for (const messageId of messageIds) await webhooksOf(stage, messageId, ['message.sent', 'message.status_update read']);
  const foreign = stage.receiver.arrivals.filter((one) => messageIds.includes(one.aboutId) && one.campaignId !== id);
  if (foreign.length > 0) throw new Missing(`The campaign_id ${id} in ${foreign.map(({ type }) => type).join(', ')}`);
}

async function whoGotIt(stage: Stage, id: string) {
  const { counts } = await request<Campaign>(stage, `${path}/${id}`, 200, {}, ({ status, body }) => ({
    what: `${status} ${body.status}`,
    note: shown(body.counts),
  }));
  if (counts.read + counts.skipped !== counts.total) throw new Missing(`Everybody read or skipped: ${shown(counts)}`);
  const { items } = await request<{ items: Recipient[] }>(
    stage,
    `${path}/${id}/recipients?status=skipped`,
    200,
    {},
    ({ status, body }) => ({
      what: `${status}`,
      note: body.items.map(({ contact, reason }) => `${contact.name}: ${reason}`).join(', '),
    }),
  );
  const left = new Set(items.map(({ contact_id }) => contact_id));
  const reached = (await recipientsOf(stage, id)).find(({ contact_id }) => !left.has(contact_id))!;
  await historyOf(stage, id, reached);
}

type History = { items: { campaign_id: string; campaign_name: string; campaign_status: string; recipient_status: string }[] };

async function historyOf(stage: Stage, id: string, { contact_id, contact }: Recipient) {
  const historyPath = `/v1/contacts/${contact_id}/campaign-history?limit=1`;
  const { items } = await request<History>(
    stage,
    historyPath,
    200,
    { note: `the history of ${contact.name}` },
    ({ status, body }) => ({
      what: `${status}`,
      note: body.items
        .map(
          ({ campaign_name, campaign_status, recipient_status }) => `${campaign_name}, ${campaign_status}: ${recipient_status}`,
        )
        .join('; '),
    }),
  );
  if (items[0]?.campaign_id !== id) throw new Missing(`The campaign ${id} in the history of ${contact.name}`);
}

const shown = ({ total, ...counts }: Counts) =>
  `${total} recipients: ${Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ')}`;
