import { beforeEach, describe, expect, test } from '@jest/globals';
import { normalizeWebhook, verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { phoneNumberId, useHouse, user, wabaId } from '../sandbox/house.ts';
import type { ReceivedWebhook } from '../sandbox/receiver.ts';
import { inboundKinds } from './inbound-kinds.ts';

const house = useHouse();
const appSecret = 'sandbox-app-secret';
beforeEach(() => house.control('behaviour', { auto_status: [] }));

const isVerified = ({ raw, headers }: ReceivedWebhook, secret = appSecret) =>
  verifySignature({ appSecret: secret, rawBody: raw, signatureHeader: headers['x-hub-signature-256'] as string });
const arrived = async () => {
  await house.settled();
  return house.receiver.received;
};
/** The webhooks that came, each verified, as the client reads them. */
const read = async () =>
  (await arrived()).map((webhook) => {
    expect(isVerified(webhook)).toBe(true);
    return normalizeWebhook(JSON.parse(webhook.raw.toString()));
  });
/** The client shows fields in camel case, at every depth. */
const camel = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(camel);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase()), camel(one)]),
  );
};

describe('verifySignature', () => {
  test('takes what the sandbox sends, and nothing that was touched', async () => {
    await house.control('inbound', {
      phone_number_id: phoneNumberId,
      message: { text: { body: 'é/👍' } },
      contact: { wa_id: user },
    });
    const [webhook] = await arrived();
    expect(isVerified(webhook!)).toBe(true);
    expect(isVerified(webhook!, 'another secret')).toBe(false);
    expect(isVerified({ ...webhook!, raw: Buffer.concat([webhook!.raw, Buffer.from(' ')]) })).toBe(false);
    // The bytes count: the same JSON written by another serializer is another body.
    expect(isVerified({ ...webhook!, raw: Buffer.from(JSON.stringify(JSON.parse(webhook!.raw.toString()))) })).toBe(false);
    expect(isVerified({ ...webhook!, headers: {} })).toBe(false);
  });

  test.each([
    ['bad', false],
    ['good', true],
    ['none', false],
  ])('a raw webhook signed %s', async (signature, isGood) => {
    await house.control(`webhook?signature=${signature}`, { object: 'whatsapp_business_account', entry: [] });
    expect((await arrived()).map((webhook) => isVerified(webhook))).toEqual([isGood]);
  });
});

describe('normalizeWebhook reads what a person sends:', () => {
  test.each(inboundKinds)('%s', async (_what, message) => {
    const contact = { wa_id: user, user_id: 'US.1', profile: { name: 'Ada', username: '@ada' } };
    const { body } = await house.control('inbound', { phone_number_id: phoneNumberId, message, contact });
    const [event] = await read();
    expect(event).toMatchObject({ object: 'whatsapp_business_account', phoneNumberId, displayPhoneNumber: '15550100001' });
    const { text: orderText, ...order } = (message.order ?? {}) as Record<string, unknown>;
    // Of an order the client renames the text.
    const delivered = message.order ? { ...message, order: { ...order, orderText } } : message;
    expect(event!.messages).toEqual([
      expect.objectContaining({
        ...(camel(delivered) as object),
        id: body.message_id,
        from: user,
        fromUserId: 'US.1',
        kapso: expect.objectContaining({ direction: 'inbound' }),
      }),
    ]);
    const isNamed = message.type !== 'system';
    expect(event!.contacts).toEqual(isNamed ? [{ waId: user, userId: 'US.1', profile: { name: 'Ada', username: '@ada' } }] : []);
  });

  test('a person without a phone', async () => {
    await house.control('inbound', {
      phone_number_id: phoneNumberId,
      message: { text: { body: 'x' } },
      contact: { user_id: 'US.7' },
    });
    const [event] = await read();
    expect(event!.messages).toMatchObject([{ fromUserId: 'US.7', kapso: { direction: 'inbound' } }]);
    expect(event!.contacts).toMatchObject([{ userId: 'US.7' }]);
  });
});

describe('normalizeWebhook reads what becomes of a message:', () => {
  test.each(['sent', 'delivered', 'read', 'played'])('%s', async (status) => {
    await house.openWindow();
    await house.control('behaviour', { auto_status: [status] });
    const id = (await house.text('hi', { biz_opaque_callback_data: 'ours' })).body.messages[0].id;
    const [event] = await read();
    expect(event!.statuses).toEqual([
      {
        id,
        status,
        timestamp: expect.stringMatching(/^\d+$/),
        recipientId: user,
        bizOpaqueCallbackData: 'ours',
        pricing: { billable: false, pricingModel: 'PMP', type: 'free_customer_service', category: 'service' },
      },
    ]);
  });

  test('failed, with its reason', async () => {
    await house.text();
    const [event] = await read();
    expect(event!.statuses).toMatchObject([
      {
        status: 'failed',
        errors: [{ code: 131047, title: 'Re-engagement message', errorData: { details: expect.any(String) } }],
      },
    ]);
    expect(event!.contacts).toEqual([]);
  });

  test('a template that is approved', async () => {
    const components = [{ type: 'BODY', text: 'x' }];
    await house.ask('POST', `/${wabaId}/message_templates`, { name: 'n', language: 'de', category: 'UTILITY', components });
    const [event] = await read();
    expect(event!.raw.messageTemplateStatusUpdate).toMatchObject([
      { event: 'APPROVED', messageTemplateId: expect.any(Number), messageTemplateName: 'n', messageTemplateLanguage: 'de' },
    ]);
  });
});
