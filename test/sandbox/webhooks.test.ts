import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user, wabaId } from './house.ts';

const house = useHouse({ appSecret: 'a secret' });

const inbound = (message: object, contact: object = { wa_id: user }) => ({ phone_number_id: phoneNumberId, message, contact });

describe('statuses', () => {
  test('come one after the other and carry what the sender attached', async () => {
    await house.openWindow();
    const { body } = await house.text('hi', { biz_opaque_callback_data: 'row 7' });
    await house.settled();
    expect(house.receiver.statuses().map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
    expect(house.receiver.statuses()[0]).toEqual({
      id: body.messages[0].id,
      status: 'sent',
      timestamp: expect.stringMatching(/^\d{10}$/),
      recipient_id: user,
      biz_opaque_callback_data: 'row 7',
      pricing: { billable: false, pricing_model: 'PMP', type: 'free_customer_service', category: 'service' },
    });
    expect(house.receiver.values()[0]).toMatchObject({
      metadata: { display_phone_number: '15550100001', phone_number_id: phoneNumberId },
      contacts: [{ wa_id: user }],
    });
  });

  test('of a message to a user id name the user id only', async () => {
    const recipient = 'US.123';
    await house.control('inbound', inbound({ text: { body: 'hi' } }, { user_id: recipient }));
    await house.text('hi', { to: undefined, recipient });
    await house.settled();
    const status = house.receiver.statuses().find((one) => one.status === 'sent');
    expect(status).toMatchObject({ recipient_user_id: recipient });
    expect(status).not.toHaveProperty('recipient_id');
  });

  test('follow auto_status, its failure and the failures of single users', async () => {
    await house.control('behaviour', { window: 'off', auto_status: ['sent', 'failed'], fails: { 16505550000: 131049 } });
    await house.text();
    await house.settled();
    await house.text('hi', { to: '16505550000' });
    await house.settled();
    expect(house.receiver.statuses().map(({ status, errors }) => [status, errors?.[0]?.code])).toEqual([
      ['sent', undefined],
      ['failed', 131026],
      ['failed', 131049],
    ]);
  });
});

describe('the window of 24 hours', () => {
  const failures = () => house.receiver.statuses().map(({ status, errors }) => [status, errors?.[0]?.code]);

  test('closed: a free-form text is accepted and fails later', async () => {
    expect((await house.text()).status).toBe(200);
    await house.settled();
    expect(failures()).toEqual([['failed', 131047]]);
    expect(house.receiver.values()[0]).not.toHaveProperty('contacts');
  });

  test('closed: refused at once where that was chosen', async () => {
    await house.control('behaviour', { window: 'sync' });
    expect(await house.text()).toMatchObject({ status: 400, body: { error: { code: 131047 } } });
  });

  test('closed: a template passes', async () => {
    const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ada' }] }];
    await house.send({ type: 'template', template: { name: 'hello_kanal', language: { code: 'en_US' }, components } });
    await house.settled();
    expect(house.receiver.statuses()[0]).toMatchObject({ status: 'sent', pricing: { billable: true, category: 'utility' } });
  });

  test('opened for that user only, and for 24 hours', async () => {
    await house.openWindow();
    await house.text();
    await house.text('hi', { to: '16505559999' });
    await house.settled();
    expect(failures().filter(([status]) => status !== 'delivered' && status !== 'read')).toEqual(
      expect.arrayContaining([
        ['sent', undefined],
        ['failed', 131047],
      ]),
    );
    await house.ask('DELETE', '/_control');
    house.receiver.received.length = 0;
    const yesterday = String(Math.floor(Date.now() / 1_000) - 25 * 3_600);
    await house.control('inbound', inbound({ text: { body: 'hi' }, timestamp: yesterday }));
    await house.text();
    await house.settled();
    expect(failures()).toEqual([['failed', 131047]]);
  });

  test('off: nobody asks', async () => {
    await house.control('behaviour', { window: 'off', auto_status: ['sent'] });
    await house.text();
    await house.settled();
    expect(failures()).toEqual([['sent', undefined]]);
  });
});

describe('inbound', () => {
  test('fills in what is missing', async () => {
    const { body } = await house.control('inbound', inbound({ text: { body: 'hi' } }, { wa_id: user, user_id: 'US.1' }));
    await house.settled();
    const raw = JSON.parse(house.receiver.received[0]!.raw.toString());
    expect(raw).toMatchObject({ object: 'whatsapp_business_account', entry: [{ id: wabaId, changes: [{ field: 'messages' }] }] });
    expect(house.receiver.values()[0]).toMatchObject({
      contacts: [{ profile: { name: expect.any(String) }, wa_id: user, user_id: 'US.1' }],
      messages: [
        {
          id: body.message_id,
          from: user,
          from_user_id: 'US.1',
          type: 'text',
          timestamp: expect.stringMatching(/^\d{10}$/),
          text: { body: 'hi' },
        },
      ],
    });
  });

  test('keeps what is given, and gives system messages no contact', async () => {
    const message = {
      id: 'wamid.mine',
      type: 'system',
      from: user,
      timestamp: '1700000000',
      system: { type: 'user_changed_number', wa_id: '1' },
    };
    expect((await house.control('inbound', inbound(message))).body).toEqual({ message_id: 'wamid.mine' });
    await house.settled();
    expect(house.receiver.values()[0]).toEqual(expect.objectContaining({ messages: [message] }));
    expect(house.receiver.values()[0]).not.toHaveProperty('contacts');
  });

  test('takes many at once, or none when one is wrong', async () => {
    const good = inbound({ text: { body: 'hi' } });
    expect((await house.control('inbound', { inbounds: [good, good] })).body.message_ids).toHaveLength(2);
    await house.settled();
    expect(house.receiver.received).toHaveLength(2);
    expect((await house.control('inbound', { inbounds: [good, { ...good, phone_number_id: '1' }] })).status).toBe(422);
    await house.settled();
    expect(house.receiver.received).toHaveLength(2);
  });
});

describe('on the wire', () => {
  const signatureOf = (raw: Buffer, secret = 'a secret') => `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;

  test('signed over the raw bytes, in ASCII', async () => {
    await house.control('inbound', inbound({ text: { body: 'Grüße 👋 a/b' } }));
    await house.settled();
    const { raw, headers } = house.receiver.received[0]!;
    expect(headers['x-hub-signature-256']).toBe(signatureOf(raw));
    expect(headers['content-type']).toBe('application/json');
    expect(raw.toString('latin1')).toContain('Gr\\u00fc\\u00dfe \\ud83d\\udc4b a\\/b');
    expect(house.receiver.values()[0]!.messages![0]).toMatchObject({ text: { body: 'Grüße 👋 a/b' } });
  });

  test('a raw webhook arrives byte for byte, and signed as asked', async () => {
    const body = '{ "é": 1 ';
    expect((await house.control('webhook', body)).body).toEqual({ delivered: true, status: 200 });
    await house.control('webhook?signature=bad', body);
    await house.control('webhook', body, { 'x-sandbox-signature': 'none' });
    const [good, bad, none] = house.receiver.received;
    expect(good!.raw.toString()).toBe(body);
    expect(good!.headers['x-hub-signature-256']).toBe(signatureOf(good!.raw));
    expect(bad!.headers['x-hub-signature-256']).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(bad!.headers['x-hub-signature-256']).not.toBe(signatureOf(bad!.raw));
    expect(none!.headers).not.toHaveProperty('x-hub-signature-256');
  });

  test('a raw webhook that is not taken comes again only when its signature is good', async () => {
    await house.control('behaviour', { retry_first_ms: 10 });
    house.receiver.answers = [401];
    expect((await house.control('webhook?signature=bad', '{}')).body).toEqual({ delivered: false, status: 401 });
    expect((await house.get('/_control/stats')).body.pending_webhooks).toBe(0);
    expect(house.receiver.received).toHaveLength(1);
    house.receiver.answers = [500];
    expect((await house.control('webhook', '{}')).body).toEqual({ delivered: false, status: 500 });
    await house.settled();
    expect(house.receiver.received).toHaveLength(3);
  });
});
