import { beforeAll, describe, expect, test } from '@jest/globals';
import { toE164 } from '../../../src/contacts/identities/phone.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';

/** Numbers that a provider has named, and that today's plans of their countries refuse. */
const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

const numbers = [
  ['Mexico', '5215512345678'],
  ['Ivory Coast', '22507123456'],
  ['Benin', '22997123456'],
  ['a country of no plan', '999123456789'],
  ['a number that is too short', '4930123'],
] as const;

const write = async (phone: string) => {
  expect((await app.webhook(bodyFor(channel, inboundFrom(phone)))).status).toBe(200);
  await app.idle();
};

describe.each(numbers)('%s', (_what, phone) => {
  test('is accepted wherever a phone is, once the provider has named it', async () => {
    await write(phone);
    const { body } = await app.call('contacts.get-by-phone', { params: { phone: `+${phone}` } });
    const id = body.data.id as string;
    const upserted = await app.call('contacts.create', { body: { phone_number: `+${phone}`, name: 'Ana' } });
    expect(upserted.body.data?.id).toBe(id);
    const sent = await app.call('messages.send', {
      body: { channel_id: channel.id, to: `+${phone}`, type: 'text', text: { body: 'Hi' } },
    });
    expect(sent.status).toBe(201);
    expect(sent.body.data.to_phone).toBe(phone);
    const blocked = await app.call('contacts.block', { body: { channel_id: channel.id, phone: `+${phone}` } });
    expect(blocked.status).toBe(200);
    const other = await app.call('contacts.create', { body: { email: `${phone}@example.com` } });
    const taken = await app.call('contacts.identities.create', {
      params: { contactID: other.body.data.id },
      body: { type: 'phone', value: `+${phone}` },
    });
    expect(taken.status).toBe(409);
  });

  test('our own export of it is imported', async () => {
    const exported = await app.call('contacts.export');
    expect(exported.text).toContain(`+${phone}`);
    const { body } = await app.call('contacts.import', { body: `phone_number,name\n+${phone},Ana Maria\n` });
    await app.idle();
    const { data } = (await app.call('contacts.imports.get', { params: { importID: body.data.id } })).body;
    expect(data.failed).toBe(0);
    expect(data.updated).toBe(1);
  });
});

test('a number that no plan knows and no provider has named is refused', async () => {
  const refused = await app.call('contacts.create', { body: { phone_number: '+998877' } });
  expect(refused.status).toBe(422);
  expect(refused.body.error.details[0].code).toBe('phone.possible');
  expect(refused.body.error.details[0].field).toBe('phone_number');
  const { body } = await app.call('contacts.import', { body: 'phone_number,name\n+998877,Nobody\n' });
  await app.idle();
  const { data } = (await app.call('contacts.imports.get', { params: { importID: body.data.id } })).body;
  expect(data.failed).toBe(1);
});

describe('a pasted number is understood', () => {
  test.each([
    ['marks of direction', '\u202a+62 812-3456-789\u202c'],
    ['the prefix of calls abroad', '0062 812 3456 789'],
    ['a link', 'tel:+62-812-3456-789'],
    ['a link with a context', 'tel:+628123456789;phone-context=example.com'],
    ['full-width digits', '＋６２８１２３４５６７８９'],
    ['spaces of no break', '+62\u00a0812\u20113456\u2011789'],
  ])('%s', (_what, pasted) => {
    expect(toE164(pasted)).toBe('+628123456789');
  });

  test.each(['00', '000628123456789', 'tel:', 'tel:+62812;ext=5', '\u202a\u202c'])('%j is none', (pasted) => {
    expect(toE164(pasted)).toBeUndefined();
  });
});
