import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user, wabaId } from './house.ts';

const house = useHouse();
const path = `/v23.0/${wabaId}/message_templates`;
const definition = {
  name: 'order_shipped',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'body', text: 'Order {{1}} is on its way', example: { body_text: [['7']] } }],
};
const create = (more: object = {}) => house.ask('POST', path, { ...definition, ...more });
const sent = (name: string, ...texts: string[]) =>
  house.send({
    type: 'template',
    template: {
      name,
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
    },
  });
const changes = () =>
  house.receiver.received.map(({ raw }) => JSON.parse(raw.toString()).entry[0]).map(({ id, changes: [one] }) => ({ id, ...one }));

describe('a new template', () => {
  test('is pending, then approved by webhook, and can be sent then', async () => {
    await house.control('behaviour', { delay_ms: 100 });
    const { status, body } = await create();
    expect([status, body]).toEqual([200, { id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' }]);
    expect((await sent('order_shipped', '7')).body.error.code).toBe(132001);
    await house.settled();
    expect(changes()).toEqual([
      {
        id: wabaId,
        field: 'message_template_status_update',
        value: {
          event: 'APPROVED',
          message_template_id: Number(body.id),
          message_template_name: 'order_shipped',
          message_template_language: 'en_US',
          message_template_category: 'UTILITY',
          reason: 'NONE',
        },
      },
    ]);
    expect((await house.get(`/${body.id}`)).body).toMatchObject({ status: 'APPROVED', components: [{ type: 'BODY' }] });
    expect((await sent('order_shipped', '7')).status).toBe(200);
    expect((await sent('order_shipped')).body.error.code).toBe(132000);
  });

  test('may be rejected, or wait', async () => {
    await house.control('behaviour', { template_review: 'REJECTED' });
    const { id } = (await create()).body;
    await house.settled();
    expect(changes()[0].value).toMatchObject({ event: 'REJECTED', reason: 'INVALID_FORMAT' });
    expect((await house.get(`/${id}`)).body.status).toBe('REJECTED');
    await house.control('behaviour', { template_review: null });
    await create({ name: 'other' });
    await house.settled();
    expect(changes()).toHaveLength(1);
  });

  test.each([
    ['a name in capitals', { name: 'Order' }],
    ['a category of its own', { category: 'NEWS' }],
    ['no body', { components: [{ type: 'FOOTER', text: 'x' }] }],
    ['no components', { components: undefined }],
    ['a component nobody knows', { components: [{ type: 'SOUND' }] }],
    ['a header of no format', { components: [...definition.components, { type: 'HEADER', text: 'x' }] }],
    ['a format of parameters nobody knows', { parameter_format: 'X' }],
    ['a name and language that are there', { name: 'hello_kanal' }],
  ])('with %s is code 100', async (_what, more) => {
    expect(await create(more)).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  test.each(['name', 'language', 'category'])('without %s is code 131008', async (field) => {
    expect((await create({ [field]: undefined })).body.error.code).toBe(131008);
  });

  test('of authentication gets its words and its button from the provider', async () => {
    const components = [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
    ];
    const { id } = (await create({ category: 'AUTHENTICATION', components })).body;
    const shown = (await house.get(`/${id}`)).body.components;
    expect(shown[0].text).toContain('{{1}}');
    expect(shown[1].buttons).toEqual([{ type: 'URL', text: 'Copy', url: expect.stringContaining('{{1}}') }]);
  });
});

describe('a template that is there', () => {
  test('is read by its id, below its account too', async () => {
    const id = '300000000000001';
    const whole = (await house.get(`/v23.0/${id}`)).body;
    expect(whole).toMatchObject({ id, name: 'hello_kanal', quality_score: { score: 'GREEN' } });
    expect((await house.get(`${path}/${id}`)).body).toEqual(whole);
    expect((await house.get(`/${id}?fields=status`)).body).toEqual({ id, status: 'APPROVED' });
    expect((await house.get(`${path}/7`)).body.error.error_subcode).toBe(33);
  });

  test('is changed, and reviewed again; what waits for its review is not', async () => {
    await house.control('behaviour', { template_review: null });
    const components = [{ type: 'BODY', text: 'Hello' }];
    expect((await house.ask('POST', '/300000000000001', { components })).body).toEqual({ success: true });
    const shown = (await house.get('/300000000000001')).body;
    expect([shown.name, shown.status, shown.components]).toEqual(['hello_kanal', 'PENDING', components]);
    expect((await house.ask('POST', '/300000000000001', { components })).body.error.code).toBe(100);
    expect((await house.ask('POST', '/300000000000002', { components: [] })).body.error.code).toBe(100);
  });

  test('goes by its name with all languages, by id alone', async () => {
    const german = (await create({ name: 'hello_kanal', language: 'de' })).body.id;
    expect((await house.ask('DELETE', `${path}?name=hello_kanal&hsm_id=${german}`)).body).toEqual({ success: true });
    expect((await house.get(`${path}?name=hello_kanal`)).body.data).toHaveLength(1);
    await create({ name: 'hello_kanal', language: 'de' });
    expect((await house.ask('DELETE', `${path}?name=hello_kanal`)).body).toEqual({ success: true });
    expect((await house.get(`${path}?name=hello_kanal`)).body.data).toEqual([]);
    expect((await house.ask('DELETE', `${path}?name=hello_kanal`)).body.error.code).toBe(100);
    expect((await house.ask('DELETE', path)).body.error.code).toBe(100);
  });

  test('comes back with a reset', async () => {
    await house.ask('DELETE', `${path}?name=hello_kanal`);
    await house.ask('DELETE', '/_control');
    expect((await house.get(`${path}?name=hello_kanal`)).body.data).toMatchObject([{ status: 'APPROVED' }]);
  });
});

test('a carousel has as many cards as its template, each filled as its own', async () => {
  const card = { components: [{ type: 'BODY', text: 'For {{1}}' }] };
  await create({
    name: 'cards',
    components: [
      { type: 'BODY', text: 'Look' },
      { type: 'CAROUSEL', cards: [card, card] },
    ],
  });
  await house.settled();
  const filled = (card_index: number, ...texts: string[]) => ({
    card_index,
    components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
  });
  const send = async (...cards: object[]) => {
    const components = [{ type: 'carousel', cards }];
    const message = { type: 'template', template: { name: 'cards', language: { code: 'en_US' }, components } };
    return (await house.ask('POST', `/${phoneNumberId}/messages`, { messaging_product: 'whatsapp', to: user, ...message })).body;
  };
  expect((await send(filled(0, 'you'), filled(1, 'me'))).messages).toHaveLength(1);
  expect((await send(filled(0, 'you'))).error.code).toBe(132000);
  expect((await send(filled(0, 'you'), filled(1))).error.code).toBe(132000);
  expect((await send(filled(0, 'you'), filled(5, 'me'))).error.code).toBe(132000);
});
