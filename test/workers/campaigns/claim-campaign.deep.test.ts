import { beforeAll, expect, test } from '@jest/globals';
import type { Variant } from '../../../src/campaigns/campaign.entity.ts';
import { campaignLane, feedCampaignJob } from '../../../src/campaigns/jobs.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { variants } from '../../support/campaigns.ts';
import { waitFor } from '../../support/wait-for.ts';
import { campaignChannelRows, campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { rightNow } from '../../support/work/rows.ts';

/** What changed between the message of a campaign and its send; then a whole campaign, with real workers. */
const app = useApp();
let channel: Channel;
const made = {} as Record<'cancelled' | 'withdrawn' | 'service' | 'granted', { id: string; campaignId: string; phone: string }>;

const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
const hello = [{ ...variants[0], templates: [{ name: 'hello', language: 'en_US', components }] }];

async function campaign(given: { status?: string; purpose?: string } = {}): Promise<string> {
  const id = uuidv7();
  const { status = 'running', purpose = 'marketing' } = given;
  const { organizationId } = app.tenant;
  await campaignRows.add(app, {
    organization_id: organizationId,
    id,
    name: 'Test',
    status: status as 'running',
    phase: status === 'running' ? 'sending' : null,
    purpose: purpose as 'marketing',
    variants: hello as Variant[],
    zones: ['UTC'],
    started_at: rightNow(),
    start_at: rightNow(),
  });
  await campaignChannelRows.add(app, { organization_id: organizationId, campaign_id: id, channel_id: channel.id, position: 0 });
  return id;
}

/** A message as it waits for its turn; the template is one of service. */
async function waiting(given: { status?: string; purpose?: string }) {
  const { phone, contactId } = await app.conversation(channel);
  const campaignId = await campaign(given);
  const template = { type: 'template', text: undefined, template: { name: 'hello', language: 'en_US', components } };
  const { body } = await app.text(channel, phone, template);
  const id: string = body.data.id;
  await messageRows.change(app, id, { campaign_id: campaignId });
  await recipientRows.add(app, {
    organization_id: app.tenant.organizationId,
    campaign_id: campaignId,
    contact_id: contactId,
    channel_id: channel.id,
    status: 'queued',
    message_id: id,
    queued_at: rightNow(),
    attempts: 1,
  });
  return { id, campaignId, phone, contactId };
}

const consent = (contactID: string, status: string) =>
  app.call('contacts.consents.put', { params: { contactID, channel: 'messaging_app' }, body: { status } });
const sentTo = async (phone: string) => (await app.sends(channel)).filter(({ body }) => body.to === phone).length;

beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
  made.cancelled = await waiting({ status: 'cancelled' });
  const withdrawn = await waiting({});
  await consent(withdrawn.contactId, 'denied');
  made.withdrawn = withdrawn;
  const granted = await waiting({});
  await consent(granted.contactId, 'granted');
  made.granted = granted;
  made.service = await waiting({ purpose: 'service' });
  // A slow machine must not look like a lost answer, after which a message is sent again.
  await app.startWorkers({ PROVIDER_TIMEOUT_MS: '30000', UNKNOWN_WINDOW: '60' });
});

test.each([
  ['cancelled', 'campaign_cancelled'],
  ['withdrawn', 'consent_required'],
] as const)('%s: %s, and nothing reaches the provider', async (which, code) => {
  const { id, phone } = made[which];
  const row = await app.messageIn(id, 'failed');
  expect(row.failure.code).toBe(code);
  expect(await sentTo(phone)).toBe(0);
});

test.each(['granted', 'service'] as const)('%s: goes out', async (which) => {
  await app.messageIn(made[which].id, 'read');
});

test('a whole campaign: each person once, and completed by itself', async () => {
  const id = await campaign({ purpose: 'service' });
  const people = [];
  for (let count = 0; count < 60; count += 1) people.push(await app.conversation(channel));
  for (const { contactId } of people)
    await recipientRows.add(app, {
      organization_id: app.tenant.organizationId,
      campaign_id: id,
      contact_id: contactId,
      channel_id: channel.id,
      variant_id: 'a',
    });
  const { ledger } = app.web.deps;
  await ledger.transact({ locks: [campaignLane(id)] }, async (tx) =>
    tx.enqueue(feedCampaignJob, app.tenant.organizationId, { campaign_id: id }, { lane: campaignLane(id) }),
  );
  const status = async () => (await app.call('campaigns.get', { params: { campaignID: id } })).body.status;
  await waitFor('the end of the campaign', async () => (await status()) === 'completed');
  const messages = await app.rows(
    `select m.contact_id, count(t.id)::int as refused
       from messages m
       left join message_attempts t on t.organization_id = m.organization_id and t.message_id = m.id and t.error_class = 'busy'
      where m.campaign_id = $1
      group by m.id, m.contact_id`,
    [id],
  );
  expect(messages.map(({ contact_id }) => contact_id).sort()).toEqual(people.map(({ contactId }) => contactId).sort());
  // What the provider refused for its rate came again: it never reached the person.
  const refused = new Map(messages.map((message) => [message.contact_id, message.refused]));
  const asked = Map.groupBy(await app.sends(channel), ({ body }) => body.to);
  for (const { phone, contactId } of people) expect(asked.get(phone)!.length - refused.get(contactId)!).toBe(1);
  expect(await recipientRows.count(app, { campaign_id: id, status: { $in: ['pending', 'queued'] } })).toBe(0);
  expect(await jobRows.count(app, { subject_id: id })).toBe(0);
});
