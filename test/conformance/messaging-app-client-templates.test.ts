import { describe, expect, test } from '@jest/globals';
import { buildTemplateSendPayload, type MessageTemplate, TemplateDefinition } from '@kapso/whatsapp-cloud-api';
import { phoneNumberId, useHouse, user, wabaId } from '../sandbox/house.ts';
import { clientFor } from './client.ts';
import { templateSends } from './template-sends.ts';

const house = useHouse();
const lastTemplate = async () =>
  (await house.get(`/_control/requests?path=${phoneNumberId}/messages&method=POST`)).body.requests.at(-1).body.template;

describe('messages.sendTemplate: a template is made, approved and sent, with', () => {
  test.each(templateSends)('%s', async (_what, definition, payload, arrives = {}) => {
    const client = clientFor(house);
    const { messageSendTtlSeconds: _, ...made } = TemplateDefinition.buildTemplateDefinition(definition);
    const created = await client.templates.create({ businessAccountId: wabaId, ...made } as never);
    expect(created).toEqual({ id: expect.any(String), status: 'PENDING', category: definition.category });
    await house.settled();
    const media = {
      image: await house.upload('image/png'),
      video: await house.upload('video/mp4'),
      audio: '',
      document: '',
      sticker: '',
    };
    const reply = await client.messages.sendTemplate({ phoneNumberId, to: `+${user}`, template: payload(media) });
    expect(reply).toEqual({
      messagingProduct: 'whatsapp',
      contacts: [{ input: `+${user}`, waId: user }],
      messages: [{ id: expect.stringMatching(/^wamid\./), messageStatus: 'accepted' }],
    });
    expect(await lastTemplate()).toMatchObject({ name: 'conformance', language: { code: 'en_US' }, ...arrives });
  });
});

test("the client's builder writes `amount1000`, which the provider does not know: money goes through its raw components", async () => {
  const components = [{ type: 'BODY', text: '{{1}}' }];
  await house.ask('POST', `/${wabaId}/message_templates`, { name: 'money', language: 'en_US', category: 'UTILITY', components });
  await house.settled();
  const currency = { fallbackValue: '$1', code: 'USD', amount1000: 1_000 };
  const template = buildTemplateSendPayload({ name: 'money', language: 'en_US', body: [{ type: 'currency', currency }] });
  await expect(
    clientFor(house).messages.sendTemplate({ phoneNumberId, to: user, template: template as never }),
  ).rejects.toMatchObject({
    code: 131008,
    details: expect.stringContaining('amount_1000'),
  });
});

describe('templates', () => {
  const businessAccountId = wabaId;

  test('list: with every filter, and page by page', async () => {
    const { templates } = clientFor(house);
    const all = await templates.list({ businessAccountId });
    expect(all.data.map(({ name }: MessageTemplate) => name)).toEqual([
      'hello_kanal',
      'spring_sale',
      'winter_sale',
      'hello_world',
    ]);
    const filters = { name: 'spring_sale', status: 'APPROVED', category: 'MARKETING', language: 'en_US' };
    expect((await templates.list({ businessAccountId, ...filters })).data).toHaveLength(1);
    const first = await templates.list({ businessAccountId, limit: 2 });
    const second = await templates.list({ businessAccountId, limit: 2, after: first.paging.cursors.after! });
    expect(second.data.map(({ name }) => name)).toEqual(['winter_sale', 'hello_world']);
    const back = await templates.list({ businessAccountId, limit: 2, before: second.paging.cursors.before! });
    expect(back.data).toEqual(first.data);
  });

  test('get: whole, and some fields of it', async () => {
    const { templates } = clientFor(house);
    const whole = await templates.get({ businessAccountId, templateId: '300000000000001' });
    expect(whole).toMatchObject({ name: 'hello_kanal', status: 'APPROVED', components: [{ type: 'BODY' }] });
    const some = await templates.get({ businessAccountId, templateId: '300000000000001', fields: 'name,status' });
    expect(some).toEqual({ id: '300000000000001', name: 'hello_kanal', status: 'APPROVED' });
  });

  test('delete', async () => {
    const { templates } = clientFor(house);
    expect(await templates.delete({ businessAccountId, name: 'spring_sale', language: 'en_US' })).toEqual({ success: true });
    expect((await templates.list({ businessAccountId, name: 'spring_sale' })).data).toEqual([]);
  });
});
