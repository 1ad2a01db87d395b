import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { approved, body, statusUpdates, templateIs, templateOf } from '../../support/templates.ts';
import { waitFor } from '../../support/wait-for.ts';
import { templateRows } from '../../support/work/channels.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';
import { ago } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const decides = (template: Body, news: object) =>
  app.control('POST', '/templates', { id: template.provider_template_id, ...news });
const last = async (template: Body) => (await statusUpdates(app, template.id)).at(-1);
type Value = { [name: string]: unknown };
const told = (
  template: Body,
  { at, ...value }: Value & { at?: number },
  field = 'message_template_status_update',
  { wabaId } = channel,
) =>
  app.webhook({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: wabaId,
        ...(at && { time: at }),
        changes: [
          {
            field,
            value: {
              message_template_id: Number(template.provider_template_id),
              message_template_name: template.name,
              message_template_language: template.language,
              ...value,
            },
          },
        ],
      },
    ],
  });

test('a pause, with its reason', async () => {
  const template = await approved(app, channel);
  await decides(template, { status: 'PAUSED', reason: 'LOW_QUALITY' });
  await templateIs(app, template.id, { status: 'paused', reason: 'LOW_QUALITY' });
  expect(await last(template)).toMatchObject({ status: 'paused', changed: ['status', 'reason'], reason: 'LOW_QUALITY' });
});

test('another quality', async () => {
  const template = await approved(app, channel);
  await decides(template, { quality: 'YELLOW' });
  await templateIs(app, template.id, { quality: 'yellow', status: 'approved' });
  expect(await last(template)).toMatchObject({ status: 'approved', changed: ['quality'], quality: 'yellow' });
});

test('another category, with the one before', async () => {
  const template = await approved(app, channel);
  await decides(template, { category: 'MARKETING' });
  await templateIs(app, template.id, { category: 'marketing', previous_category: 'utility' });
  expect(await last(template)).toMatchObject({ status: 'approved', changed: ['category'], category: 'marketing' });
});

test('a rejection with explanation and advice', async () => {
  const template = await approved(app, channel);
  const rejection_info = { reason: 'It has no sense.', recommendation: 'Give it some.' };
  await told(template, { event: 'REJECTED', reason: 'INVALID_FORMAT', rejection_info });
  await templateIs(app, template.id, { status: 'rejected', reason: 'INVALID_FORMAT: It has no sense.: Give it some.' });
});

test('the same twice is told once; an older one that comes late is ignored', async () => {
  const template = await approved(app, channel);
  const before = (await statusUpdates(app, template.id)).length;
  const now = Math.floor(Date.now() / 1_000) + 60;
  for (let index = 0; index < 2; index += 1) await told(template, { event: 'PAUSED', at: now });
  await told(template, { event: 'APPROVED', at: now - 30 });
  await app.idle();
  expect(await templateOf(app, template.id)).toMatchObject({ status: 'paused' });
  expect((await statusUpdates(app, template.id)).length).toBe(before + 1);
  await told(template, { event: 'APPROVED', at: now + 1 });
  await templateIs(app, template.id, { status: 'approved' });
});

test('a quality and a category that come late are ignored, too', async () => {
  const template = await approved(app, channel);
  const now = Math.floor(Date.now() / 1_000);
  const category = (new_category: string, at: number) => told(template, { new_category, at }, 'template_category_update');
  const quality = (new_quality_score: string, at: number) =>
    told(template, { new_quality_score, at }, 'message_template_quality_update');
  await category('MARKETING', now - 60);
  await quality('RED', now - 60);
  await templateIs(app, template.id, { category: 'marketing', quality: 'red' });
  await category('UTILITY', now - 7_200);
  await quality('GREEN', now - 3_600);
  await app.idle();
  expect(await templateOf(app, template.id)).toMatchObject({ category: 'marketing', quality: 'red', status: 'approved' });
  await category('UTILITY', now);
  await templateIs(app, template.id, { category: 'utility', quality: 'red' });
});

test('a copy of what was told before an edit: the edit is still under review', async () => {
  const template = await approved(app, channel);
  const at = Math.floor(Date.now() / 1_000) - 60;
  await templateRows.change(app, template.id, { told_at: new Date(at * 1_000).toISOString() });
  await app.control('POST', '/behaviour', { template_review: null });
  const { status } = await app.call('templates.update', {
    params: { templateID: template.id },
    body: { components: [body('Good day {{1}}, welcome.')] },
  });
  expect(status).toBe(200);
  await templateIs(app, template.id, { status: 'pending', doing: null });
  await app.control('POST', '/behaviour', { template_review: 'APPROVED' });
  await told(template, { event: 'APPROVED', at });
  await app.idle();
  expect(await templateOf(app, template.id)).toMatchObject({ status: 'pending' });
  await decides(template, { status: 'APPROVED' });
  await templateIs(app, template.id, { status: 'approved' });
});

test('of one that we do not have: the templates of its channels are read', async () => {
  const template = { provider_template_id: '880001', name: 'made_there', language: 'en_US' };
  const { wabaId, phoneNumberId, accessToken } = channel;
  const components = [{ type: 'BODY', text: 'Made at the provider' }];
  await app.account({
    ...{ waba_id: wabaId, phone_number_id: phoneNumberId, access_token: accessToken },
    templates: [{ id: '880001', name: 'made_there', language: 'en_US', status: 'APPROVED', components }],
  });
  await told(template, { event: 'APPROVED' });
  const row = await waitFor(
    'the template',
    async () => (await app.call('templates.list', { query: { channel_id: channel.id, search: 'made_there' } })).body.items[0],
  );
  expect(row).toMatchObject({ provider_template_id: '880001', status: 'approved', components });
});

/** Of an account that has one template, which is edited there. */
async function editedThere(id: string) {
  const on = await app.connect();
  const template = { id, name: 'edited_there', language: 'en_US', status: 'APPROVED', category: 'UTILITY' };
  const holds = (text: string) =>
    app.account({
      ...{ waba_id: on.wabaId, phone_number_id: on.phoneNumberId, access_token: on.accessToken },
      templates: [{ ...template, components: [{ type: 'BODY', text }] }],
    });
  await holds('Before');
  await app.call('templates.sync', { params: { channelID: on.id } });
  await app.idle();
  const row = await templateRows.one(app, { provider_template_id: id }, ['id', 'components']);
  expect((row.components as { text: string }[])[0]!.text).toBe('Before');
  await holds('After');
  const longAgo = () => templateRows.change(app, row.id, { content_at: ago('1 hour') });
  return { on, longAgo, row: { ...row, provider_template_id: id, name: template.name, language: template.language } };
}

describe('of one that was edited at the provider itself, what is in it is read again', () => {
  test.each<[string, Value, string]>([
    ['its review', { event: 'APPROVED' }, 'message_template_status_update'],
    ['its new words', { message_template_element: 'After' }, 'message_template_components_update'],
  ])('%s', async (_what, value, field) => {
    const { on, longAgo, row } = await editedThere(field === 'message_template_components_update' ? '880021' : '880022');
    if (field === 'message_template_status_update') await longAgo();
    await told(row, value, field, on);
    await templateIs(app, row.id, { components: [{ type: 'BODY', text: 'After' }] });
    await app.idle();
    const syncs = await jobRows.all(app, { subject_id: on.id, name: 'templates.sync' }, ['state']);
    expect(syncs.every(({ state }: Body) => state === 'done')).toBe(true);
  });

  test('by a send that is refused for it, and not for each of them', async () => {
    const { on, longAgo, row } = await editedThere('880023');
    const { phone } = await app.conversation(on);
    const refusedSend = async () => {
      await app.fault(on, { status: 400, code: 132012 });
      const { body } = await app.call('messages.send', {
        body: { channel_id: on.id, to: `+${phone}`, type: 'template', template: { name: row.name, language: 'en_US' } },
      });
      await app.messageIn(body.data.id, 'failed');
      await app.idle();
      return (await templateOf(app, row.id)).components[0].text;
    };
    expect(await refusedSend()).toBe('Before');
    await longAgo();
    expect(await refusedSend()).toBe('After');
  });
});

describe('what is not understood is kept as broken, and the rest is applied:', () => {
  test.each<[string, Value, string]>([
    ['no id', { message_template_id: undefined, event: 'PAUSED' }, 'message_template_status_update'],
    ['no event', {}, 'message_template_status_update'],
    ['no quality', { previous_quality_score: 'GREEN' }, 'message_template_quality_update'],
    ['no category', { new_category: {} }, 'template_category_update'],
  ])('%s', async (_what, value, field) => {
    const template = await approved(app, await app.connect());
    const broken = () => providerWebhookRows.all(app, { state: 'broken' }, ['errors'], { received_at: 'desc' });
    const before = await broken();
    await told(template, value, field);
    await app.idle();
    const [row, ...others] = await broken();
    expect(row?.errors?.[0]?.error).toBe('Not understood: change of a template');
    expect(others).toEqual(before);
    expect(await templateOf(app, template.id)).toEqual(template);
  });
});

test("another organization's account, or only another app's channel: nothing happens", async () => {
  const template = await approved(app, channel);
  const stranger = await app.connect({ tenant: await app.organization() });
  const before = await templateOf(app, template.id);
  await app.webhook({
    entry: [
      {
        id: stranger.wabaId,
        changes: [
          {
            field: 'message_template_status_update',
            value: { message_template_id: Number(template.provider_template_id), event: 'DISABLED' },
          },
        ],
      },
    ],
  });
  await app.idle();
  expect(await templateOf(app, template.id)).toEqual(before);
});

test('a deleted channel of the account hears of nothing', async () => {
  const gone = await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
  await app.idle();
  const syncs = () => jobRows.count(app, { subject_id: gone.id, name: 'templates.sync' });
  const before = await syncs();
  expect((await app.call('channels.delete', { params: { channelID: gone.id } })).status).toBe(204);
  const made = { provider_template_id: '880011', name: 'made_there', language: 'en_US' };
  await templateRows.add(app, {
    organization_id: gone.tenant.organizationId,
    channel_id: gone.id,
    provider_template_id: '880012',
    name: 'left_over',
    language: 'en_US',
    category: 'utility',
    status: 'approved',
    components: [],
  });
  await told(made, { event: 'APPROVED' });
  await told({ provider_template_id: '880012', name: 'left_over', language: 'en_US' }, { event: 'PAUSED' });
  await app.idle();
  expect(await syncs()).toBe(before);
  expect(await templateRows.all(app, { channel_id: gone.id }, ['status'])).toEqual([{ status: 'approved' }]);
});
