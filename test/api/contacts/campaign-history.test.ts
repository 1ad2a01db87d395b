import { beforeAll, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { storedCampaigns, storedRecipients } from '../../support/stored/campaigns.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp({});
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const historyOf = (contactID: string, query = {}) => app.call('contacts.campaign-history', { params: { contactID }, query });
const contactBy = async (phone_number: string, key?: string): Promise<string> =>
  (await app.call('contacts.create', { ...(key && { key }), body: { phone_number } })).body.data.id;

type Given = { status?: string; at?: string; sent?: string | null; delivered?: string | null; failed?: string | null };
/** A recipient of a campaign of its own; the campaign's id. */
async function recipient(
  contactId: string,
  { status = 'pending', at, sent = null, delivered = null, failed = null }: Given = {},
): Promise<string> {
  const { id } = await campaign(app.em(), app.tenant.organizationId, { status: 'running' });
  await storedRecipients.add(app, {
    organization_id: app.tenant.organizationId,
    campaign_id: id,
    contact_id: contactId,
    channel_id: channel.id,
    status,
    created_at: at ?? now(),
    sent_at: sent,
    delivered_at: delivered,
    failed_at: failed,
  });
  return id;
}

test('nobody was part of a campaign: there are none', async () => {
  const { status, body } = await historyOf(await contactBy('+16505550111'), { include_total: true });
  expect([status, body]).toEqual([200, { items: [], meta: { has_more: false, limit: 25, total: 0 } }]);
});

test('eight texts an item, and what has not happened is empty', async () => {
  const id = await contactBy('+16505550113');
  const times = { at: '2026-11-21T10:00:00Z', sent: '2026-11-21T10:00:02Z', delivered: '2026-11-21T10:00:04Z' };
  const delivered = await recipient(id, { status: 'delivered', ...times });
  const failed = await recipient(id, { status: 'failed', at: '2026-11-22T10:00:00Z', failed: '2026-11-22T10:00:01Z' });
  const waits = await recipient(id, { at: '2026-11-23T10:00:00Z' });
  const { body } = await historyOf(id, { include_total: true });
  const none = { delivered_at: '', failed_at: '', sent_at: '', campaign_name: 'Spring', campaign_status: 'running' };
  expect(body.meta.total).toBe(3);
  expect(body.items).toEqual([
    { ...none, campaign_id: waits, recipient_status: 'pending', created_at: '2026-11-23T10:00:00.000Z' },
    {
      ...{ ...none, campaign_id: failed, recipient_status: 'failed' },
      ...{ created_at: '2026-11-22T10:00:00.000Z', failed_at: '2026-11-22T10:00:01.000Z' },
    },
    {
      ...{ ...none, campaign_id: delivered, recipient_status: 'delivered', created_at: '2026-11-21T10:00:00.000Z' },
      ...{ sent_at: '2026-11-21T10:00:02.000Z', delivered_at: '2026-11-21T10:00:04.000Z' },
    },
  ]);
});

test('page by page, newest first; a deleted campaign is not shown', async () => {
  const id = await contactBy('+16505550114');
  const made: string[] = [];
  for (let n = 0; n < 5; n += 1) made.unshift(await recipient(id));
  await storedCampaigns.change(app, made[1], { deleted_at: now() });
  const seen: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; ) {
    const { body } = await historyOf(id, { limit: 2, ...(cursor && { cursor }) });
    seen.push(...body.items.map((item: { campaign_id: string }) => item.campaign_id));
    ({ next_cursor: cursor, has_more: isMore } = body.meta);
  }
  expect(seen).toEqual(made.filter((_, n) => n !== 1));
});

test('a merged contact shows the campaigns of both', async () => {
  const [id, otherId] = [await contactBy('+16505550115'), await contactBy('+16505550116')];
  const made = [await recipient(id), await recipient(otherId)];
  await app.call('contacts.merge', { params: { contactID: id }, body: { contact_id: otherId } });
  const { body } = await historyOf(id);
  expect(body.items.map((item: { campaign_id: string }) => item.campaign_id).sort()).toEqual(made.sort());
});

test("another organization's contact and nobody's: 404", async () => {
  const { key } = await app.organization();
  const id = await contactBy('+16505550111', key);
  for (const contactID of [id, '0193ffff-3a0e-7cc4-8f4e-0242ac120004', 'no-uuid'])
    expect((await historyOf(contactID)).status).toBe(404);
});

test('a query nobody knows: 422', async () => {
  expect((await historyOf(await contactBy('+16505550112'), { offset: 1 })).status).toBe(422);
});
