import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';

const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

let made = 0;
/** As a sync stores it. */
async function stored(components: object[], category = 'utility'): Promise<string> {
  made += 1;
  const { id } = await app.one(
    `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
     values (uuidv7(), $1, $2, $3::text, 't' || $3::text, 'en', $4, 'approved', $5)
     returning id`,
    [app.tenant.organizationId, channel.id, made, category, JSON.stringify(components)],
  );
  return id;
}
const preview = (templateID: string, components?: object[], key?: string) =>
  app.call('templates.preview', { params: { templateID }, body: { ...(components && { components }) }, key });
const text = (value: string) => ({ type: 'text', text: value });

test('a body and ten buttons are filled in', async () => {
  const buttons = Array.from({ length: 10 }, (_, n) => ({ type: 'QUICK_REPLY', text: `Choice ${n}` }));
  const id = await stored([
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Dear {{1}}' },
    { type: 'BUTTONS', buttons },
  ]);
  const components = [
    { type: 'header', parameters: [text('A-1')] },
    { type: 'body', parameters: [text('Ada')] },
    ...buttons.map((_, index) => ({
      ...{ type: 'button', sub_type: 'quick_reply', index },
      parameters: [{ type: 'payload', payload: `P${index}` }],
    })),
  ];
  expect((await preview(id, components)).status).toBe(200);
  expect((await preview(id, [...components, ...components])).status).toBe(422);
});

test('header, body, footer and buttons, filled in', async () => {
  const id = await stored([
    { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
    { type: 'BODY', text: 'Dear {{2}}, {{1}} of {{3}} on {{4}}. Thank you, {{2}}.' },
    { type: 'FOOTER', text: 'Kanal' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+1555' },
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'COPY_CODE', text: 'Copy' },
      ],
    },
  ]);
  const currency = { fallback_value: '$1.00', code: 'USD', amount_1000: 1_000 };
  const { status, body } = await preview(id, [
    { type: 'HEADER', parameters: [text('A-1')] },
    {
      type: 'body',
      parameters: [
        text('2 pieces'),
        text('Ada $& {{1}}'),
        { type: 'currency', currency },
        { type: 'date_time', date_time: { fallback_value: 'Monday' } },
      ],
    },
    { type: 'button', sub_type: 'url', index: '0', parameters: [text('a')] },
    { type: 'button', sub_type: 'quick_reply', index: 2, parameters: [{ type: 'payload', payload: 'STOP' }] },
    { type: 'button', sub_type: 'copy_code', index: 3, parameters: [{ type: 'coupon_code', coupon_code: 'SALE' }] },
  ]);
  expect([status, body]).toEqual([
    200,
    {
      header: { format: 'text', text: 'Order A-1' },
      body: 'Dear Ada $& {{1}}, 2 pieces of $1.00 on Monday. Thank you, Ada $& {{1}}.',
      footer: 'Kanal',
      buttons: [
        { type: 'url', text: 'Open', value: 'https://example.com/a' },
        { type: 'phone_number', text: 'Call', value: '+1555' },
        { type: 'quick_reply', text: 'Stop', value: 'STOP' },
        { type: 'copy_code', text: 'Copy', value: 'SALE' },
      ],
      cards: [],
    },
  ]);
});

test('named parameters, and a file for a header', async () => {
  const id = await stored([
    { type: 'HEADER', format: 'DOCUMENT' },
    { type: 'BODY', text: 'Hi {{first_name}}, see {{what}}.' },
  ]);
  const { body } = await preview(id, [
    { type: 'header', parameters: [{ type: 'document', document: { link: 'https://example.com/a.pdf', filename: 'a.pdf' } }] },
    {
      type: 'body',
      parameters: [
        { ...text('this'), parameter_name: 'what' },
        { ...text('Ada'), parameter_name: 'first_name' },
      ],
    },
  ]);
  expect(body).toMatchObject({
    header: { format: 'document', text: 'a.pdf' },
    body: 'Hi Ada, see this.',
    footer: '',
    buttons: [],
  });
});

test('a code to log in with, in the words the provider will write', async () => {
  const id = await stored(
    [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ],
    'authentication',
  );
  const { body } = await preview(id, [
    { type: 'body', parameters: [text('123456')] },
    { type: 'button', sub_type: 'url', index: 0, parameters: [text('123456')] },
  ]);
  expect(body).toMatchObject({
    body: '*123456* is your verification code. For your security, do not share this code.',
    footer: 'This code expires in 10 minutes.',
    buttons: [{ type: 'otp', text: 'Copy', value: '123456' }],
  });
});

test('cards, each with its own', async () => {
  const card = (name: string) => ({
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: `${name} for {{1}}` },
    ],
  });
  const id = await stored([
    { type: 'BODY', text: 'See' },
    { type: 'CAROUSEL', cards: [card('A'), card('B')] },
  ]);
  const filled = (card_index: number, to: string) => ({
    card_index,
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { id: `m${card_index}` } }] },
      { type: 'body', parameters: [text(to)] },
    ],
  });
  const { body } = await preview(id, [{ type: 'carousel', cards: [filled(1, 'Bob'), filled(0, 'Ada')] }]);
  expect(body.cards.map((one: { body: string; header: { text: string } }) => [one.body, one.header.text])).toEqual([
    ['A for Ada', 'm0'],
    ['B for Bob', 'm1'],
  ]);
});

describe('refused as a message would be', () => {
  test('without its parameters', async () => {
    const { status, body } = await preview(await stored([{ type: 'BODY', text: 'Hi {{1}}.' }]));
    expect([status, body.error.details]).toEqual([
      422,
      [
        {
          field: 'components',
          location: 'body',
          code: 'template.parameter_missing',
          message: 'The body takes 1 parameter and got 0: {{1}} is missing',
        },
      ],
    ]);
  });

  test("another organization's, nobody's: 404", async () => {
    const id = await stored([{ type: 'BODY', text: 'Hi.' }]);
    expect((await preview(id)).body.body).toBe('Hi.');
    expect((await preview(id, [], (await app.organization()).key)).status).toBe(404);
    expect((await preview('0193ffff-3a0e-7cc4-8f4e-0242ac120004')).status).toBe(404);
  });
});
