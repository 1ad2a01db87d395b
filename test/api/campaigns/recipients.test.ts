import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedOrganizations } from '../../support/stored/accounts.ts';
import { storedCampaigns, storedRecipients } from '../../support/stored/campaigns.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedConversations } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
let channelId: string;
beforeAll(async () => {
  channelId = (await channel(app.em(), app.tenant.organizationId)).id;
});

type Given = Parameters<typeof campaign>[2];
const draft = async (given: Given = {}) =>
  (await campaign(app.em(), app.tenant.organizationId, { channelIds: [channelId], ...given })).id;
const person = async (tenant: Tenant = app.tenant) => {
  const phone = `+${app.phone()}`;
  const { id } = await contact(app.em(), tenant.organizationId, { phone });
  return { id, phone };
};
const add = (campaignID: string, recipients: object[], more: object = {}, key = app.tenant.key) =>
  app.call('campaigns.recipients.add', { key, params: { campaignID }, body: { recipients, ...more } });
const list = (campaignID: string, query: Record<string, string | number | boolean> = {}, key = app.tenant.key) =>
  app.call('campaigns.recipients.list', { key, params: { campaignID }, query: query as Record<string, string> });
const rowsOf = (id: string): Promise<Body[]> => storedRecipients.all(app, { campaign_id: id }, { orderBy: 'id' });
const idsOf = ({ body }: Body): string[] => body.items.map(({ id }: Body) => id);

/** Recipients of new contacts, as rows: their status and reason as given. */
async function recipients(id: string, given: { status: string; reason?: string }[]): Promise<string[]> {
  const made: string[] = [];
  for (const { status, reason = '' } of given) {
    const { id: contactId } = await person();
    const row = { campaign_id: id, contact_id: contactId, channel_id: channelId, status, reason };
    made.push(await storedRecipients.add(app, { organization_id: app.tenant.organizationId, ...row }));
  }
  return made;
}

describe('the list', () => {
  test('shows who somebody is and what became of them, newest first, page by page', async () => {
    const id = await draft();
    const { id: contactId, phone } = await person();
    await add(id, [{ contact_id: contactId, parameters: { code: 'A' } }]);
    const { status, body } = await list(id);
    expect(status).toBe(200);
    const { name } = await storedContacts.one(app, contactId);
    expect(body.items).toMatchObject([
      {
        contact_id: contactId,
        contact: { id: contactId, name, phone_number: phone },
        channel_id: channelId,
        status: 'pending',
        parameters: { code: 'A' },
        message_id: null,
        sent_at: null,
      },
    ]);
    const others = await recipients(id, [{ status: 'sent' }, { status: 'failed' }, { status: 'sent' }]);
    const first = await list(id, { limit: 2, include_total: true });
    expect(idsOf(first)).toEqual([others[2], others[1]]);
    expect(first.body.meta).toMatchObject({ has_more: true, total: 4 });
    const second = await list(id, { limit: 2, cursor: first.body.meta.next_cursor });
    expect(idsOf(second)).toEqual([others[0], body.items[0].id]);
    expect(second.body.meta.has_more).toBe(false);
  });

  test('of several statuses, of a reason, of a contact', async () => {
    const id = await draft();
    const made = await recipients(id, [
      { status: 'sent' },
      { status: 'failed' },
      { status: 'skipped', reason: 'suppressed' },
      { status: 'sent' },
      { status: 'skipped', reason: 'expired' },
    ]);
    expect(idsOf(await list(id, { status: 'sent,failed' }))).toEqual([made[3], made[1], made[0]]);
    const first = await list(id, { status: 'failed,sent', limit: 2, include_total: true });
    expect([idsOf(first), first.body.meta.total]).toEqual([[made[3], made[1]], 3]);
    // In another order they are the same filter.
    const rest = await list(id, { status: 'sent,failed', limit: 2, cursor: first.body.meta.next_cursor });
    expect(idsOf(rest)).toEqual([made[0]]);
    expect(idsOf(await list(id, { reason: 'suppressed' }))).toEqual([made[2]]);
    const [row] = await rowsOf(id);
    expect(idsOf(await list(id, { contact_id: row!.contact_id, include_total: true }))).toEqual([made[0]]);
  });

  test('counted it waits for its place among the dear lists of the organization; a page does not', async () => {
    const id = await draft();
    await recipients(id, [{ status: 'sent' }]);
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const held = app.web.deps.reads.dear(app.tenant.organizationId, () => gate);
    let isCounted = false;
    const counted = list(id, { include_total: true }).finally(() => {
      isCounted = true;
    });
    expect((await list(id)).status).toBe(200);
    for (let read = 0; read < 5; read += 1) await list(id);
    expect(isCounted).toBe(false);
    goOn();
    await held;
    expect((await counted).body.meta.total).toBe(1);
  });

  test('of an erased contact the row stays, without the person', async () => {
    const id = await draft();
    const { id: contactId } = await person();
    await add(id, [{ contact_id: contactId }]);
    await storedRecipients.change(app, { campaign_id: id }, { contact_id: null });
    expect((await list(id)).body.items).toMatchObject([{ contact_id: null, contact: null }]);
  });

  test.each([
    ['an unknown status', { status: 'sent,lost' }, 'status'],
    ['an unknown reason', { reason: 'tired' }, 'reason'],
    ['two filters at once', { status: 'sent', reason: 'suppressed' }, 'reason'],
    ['a filter without an index', { variant_id: 'a' }, 'variant_id'],
    ['a contact that is no id', { contact_id: 'x' }, 'contact_id'],
  ])('%s is a 422', async (_what, query: Record<string, string>, field) => {
    const { status, body } = await list(await draft(), query);
    expect(status).toBe(422);
    expect(JSON.stringify(body.error)).toContain(field);
  });

  test('a cursor of another filter is a 400', async () => {
    const id = await draft();
    await recipients(id, [{ status: 'sent' }, { status: 'sent' }]);
    const { next_cursor: cursor } = (await list(id, { limit: 1 })).body.meta;
    expect((await list(id, { status: 'sent', cursor })).status).toBe(400);
  });

  test('takes contacts:read too; a foreign or deleted campaign is a 404', async () => {
    const id = await draft();
    const { key } = await app.key(app.tenant.organizationId, ['campaigns:read', 'campaigns:write']);
    const refused = await list(id, {}, key);
    expect([refused.status, refused.text.includes('contacts:read')]).toEqual([403, true]);
    expect((await list(id, {}, (await app.organization()).key)).status).toBe(404);
    await storedCampaigns.change(app, id, { deleted_at: now() });
    expect((await list(id)).status).toBe(404);
  });
});

describe('adding', () => {
  test('by id and by phone; twice is the same row, with the newest parameters', async () => {
    const id = await draft();
    const [one, other] = [await person(), await person()];
    const given = [{ contact_id: one.id, parameters: { code: 'A' } }, { phone: other.phone.slice(1) }];
    const first = await add(id, given);
    expect([first.status, first.body]).toEqual([200, { added: 2, already: 0 }]);
    const before = await rowsOf(id);
    expect(before.map((row) => row.contact_id)).toEqual([one.id, other.id]);
    expect((await add(id, given)).body).toEqual({ added: 0, already: 2 });
    expect(await rowsOf(id)).toEqual(before);
    expect((await add(id, [{ phone: one.phone, parameters: { code: 'B' } }, { contact_id: one.id }])).body).toEqual({
      added: 0,
      already: 2,
    });
    expect((await rowsOf(id)).map((row) => row.parameters)).toEqual([{ code: 'B' }, {}]);
  });

  test('parameters of one whose message is made stay', async () => {
    const id = await draft({ status: 'running', phase: 'sending' });
    const { id: contactId } = await person();
    await add(id, [{ contact_id: contactId, parameters: { code: 'A' } }]);
    await storedRecipients.change(app, { campaign_id: id }, { status: 'queued' });
    await add(id, [{ contact_id: contactId, parameters: { code: 'B' } }]);
    expect((await rowsOf(id))[0]!.parameters).toEqual({ code: 'A' });
  });

  test('unknown contacts are named by their place, and nobody is added', async () => {
    const id = await draft();
    const { id: contactId } = await person();
    const foreign = await person(await app.organization());
    const { status, body } = await add(id, [
      { contact_id: contactId },
      { contact_id: uuidv7() },
      { contact_id: foreign.id },
      { phone: foreign.phone },
    ]);
    expect([status, body.error.code]).toEqual([422, 'invalid_request']);
    expect(body.error.details.map(({ field }: Body) => field)).toEqual([
      'recipients[1].contact_id',
      'recipients[2].contact_id',
      'recipients[3].phone',
    ]);
    expect(await rowsOf(id)).toEqual([]);
  });

  test('with create_contacts a phone that nobody has becomes a contact, once', async () => {
    const id = await draft();
    const phone = `+${app.phone()}`;
    expect((await add(id, [{ phone }, { phone }], { create_contacts: true })).body).toEqual({ added: 1, already: 1 });
    const [made] = await storedContacts.all(
      app,
      { organization_id: app.tenant.organizationId, phone_number: phone },
      { columns: ['id', 'phone_number'] },
    );
    expect((await rowsOf(id)).map((row) => row.contact_id)).toEqual([made.id]);
    const unknown = await add(id, [{ contact_id: uuidv7() }], { create_contacts: true });
    expect(unknown.status).toBe(422);
  });

  test.each(['draft', 'scheduled', 'running', 'paused'] as const)('is possible while the campaign is %s', async (status) => {
    const id = await draft({ status, ...(status === 'running' && { phase: 'sending' }) });
    expect((await add(id, [{ contact_id: (await person()).id }])).status).toBe(200);
  });

  test.each(['completed', 'cancelled', 'failed'] as const)('is a 409 that names the state once it is %s', async (status) => {
    const id = await draft({ status });
    const refused = await add(id, [{ contact_id: (await person()).id }]);
    expect([refused.status, refused.body.error.details[0].value]).toEqual([409, status]);
  });

  test('needs a channel', async () => {
    const id = await draft({ channelIds: [] });
    expect((await add(id, [{ contact_id: (await person()).id }])).status).toBe(409);
  });

  test('a recipient has the channel of the conversation, the zone of the contact and its own start', async () => {
    const { organizationId } = app.tenant;
    const mine = await channel(app.em(), organizationId);
    const id = await draft({
      status: 'paused',
      channelIds: [channelId, mine.id],
      schedule: { is_local: true, start_at: '2026-12-01T09:00:00', timezone: 'Europe/Berlin' },
    });
    await storedOrganizations.change(app, organizationId, { timezone_field: 'zone' });
    const [far, near] = [await person(), await person()];
    await storedContacts.change(app, far.id, { custom_fields: { zone: 'asia/kathmandu' } });
    await storedConversations.add(app, {
      organization_id: organizationId,
      channel_id: mine.id,
      contact_id: far.id,
      status: 'open',
    });
    await add(id, [{ contact_id: far.id }, { contact_id: near.id }]);
    const [one, other] = await rowsOf(id);
    expect(one).toMatchObject({ channel_id: mine.id, zone: 'Asia/Kathmandu', variant_id: 'a' });
    expect(new Date(one!.due_at)).toEqual(new Date('2026-12-01T03:15:00Z'));
    expect(other).toMatchObject({ zone: 'Europe/Berlin' });
    expect(new Date(other!.due_at)).toEqual(new Date('2026-12-01T08:00:00Z'));
    const { zones } = await storedCampaigns.one(app, id);
    expect(zones.sort()).toEqual(['Asia/Kathmandu', 'Europe/Berlin']);
  });

  test.each([
    ['nobody', { recipients: [] }],
    ['1,001', { recipients: Array.from({ length: 1_001 }, () => ({ contact_id: uuidv7() })) }],
    ['one without a name', { recipients: [{ parameters: {} }] }],
    ['one named twice', { recipients: [{ contact_id: uuidv7(), phone: '+16505550001' }] }],
    ['a phone that is none', { recipients: [{ phone: '12' }] }],
    ['a parameter with a capital', { recipients: [{ contact_id: uuidv7(), parameters: { Code: 'A' } }] }],
    ['a parameter that is a number', { recipients: [{ contact_id: uuidv7(), parameters: { code: 1 } }] }],
    ['a parameter that is too long', { recipients: [{ contact_id: uuidv7(), parameters: { code: 'x'.repeat(1_025) } }] }],
    [
      '21 parameters',
      {
        recipients: [
          { contact_id: uuidv7(), parameters: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`p${n}`, 'x'])) },
        ],
      },
    ],
  ])('%s is a 422', async (_what, body) => {
    const id = await draft();
    expect((await app.call('campaigns.recipients.add', { params: { campaignID: id }, body })).status).toBe(422);
    expect(await rowsOf(id)).toEqual([]);
  });

  test('takes contacts:read, and contacts:write to make contacts; a foreign campaign is a 404', async () => {
    const id = await draft();
    const recipientsGiven = [{ phone: `+${app.phone()}` }];
    const { key: blind } = await app.key(app.tenant.organizationId, ['campaigns:write']);
    const { key: reader } = await app.key(app.tenant.organizationId, ['campaigns:write', 'contacts:read']);
    expect((await add(id, recipientsGiven, {}, blind)).text).toContain('contacts:read');
    expect((await add(id, recipientsGiven, { create_contacts: true }, reader)).text).toContain('contacts:write');
    expect((await add(id, [{ contact_id: uuidv7() }], {}, (await app.organization()).key)).status).toBe(404);
  });
});
