import { describe, expect, test } from '@jest/globals';
import { phoneNumberId, useHouse, user, wabaId } from './house.ts';

const house = useHouse();

const parameter = { type: 'text', text: 'Ada' };
const template = (name: string, components?: object[], code = 'en_US') => ({
  type: 'template',
  template: { name, language: { code }, ...(components ? { components } : {}) },
});
const body = (...parameters: object[]) => [{ type: 'body', parameters }];
const interactive = (type: string, action: object, rest: object = {}) => ({
  type: 'interactive',
  interactive: { type, body: { text: 'choose' }, action, ...rest },
});
const button = (id: string, title = id) => ({ type: 'reply', reply: { id, title } });
const section = (count: number, title?: string, from = 0) => ({
  ...(title === undefined ? {} : { title }),
  rows: Array.from({ length: count }, (_, row) => ({ id: String(row + from), title: 'row' })),
});
const flow = {
  flow_message_version: '3',
  flow_id: '1',
  flow_cta: 'Go',
  flow_action: 'navigate',
  flow_action_payload: { screen: 'A' },
};
const card = (card_index: number, rest: object = {}) => ({
  card_index,
  type: 'cta_url',
  header: { type: 'image', image: { link: 'https://example.com/a.png' } },
  action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } },
  ...rest,
});
const product = { catalog_id: '1', product_retailer_id: 'sku' };
const products = (count: number) => ({
  catalog_id: '1',
  sections: [{ title: 'a', product_items: Array(count).fill({ product_retailer_id: 'sku' }) }],
});
const carousel = (...cards: object[]) => interactive('carousel', { cards });

describe('accepted', () => {
  test.each([
    ['text', { type: 'text', text: { body: 'é'.repeat(4_096), preview_url: true } }],
    ['text without a type', { text: { body: '👍'.repeat(4_096) } }],
    ['image by id', { type: 'image', image: { id: '<media>', caption: 'c' } }],
    ['video by link', { type: 'video', video: { link: 'https://example.com/a.mp4' } }],
    ['audio', { type: 'audio', audio: { id: '<media>' } }],
    ['document', { type: 'document', document: { id: '<media>', filename: 'a.pdf', caption: 'c' } }],
    ['sticker', { type: 'sticker', sticker: { id: '<media>' } }],
    ['location', { type: 'location', location: { latitude: 1.5, longitude: '-2', name: 'here' } }],
    [
      'contacts',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'A B', first_name: 'A' }, phones: [{ phone: '+1' }] }] },
    ],
    [
      'contacts as a JSON text',
      { type: 'contacts', contacts: JSON.stringify([{ name: { formatted_name: 'A B', first_name: 'A' } }]) },
    ],
    ['reaction', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '👍' } }],
    ['reaction taken back', { type: 'reaction', reaction: { message_id: 'wamid.x', emoji: '' } }],
    ['reply', { type: 'text', text: { body: 'x' }, context: { message_id: 'wamid.x' } }],
    [
      'buttons',
      interactive(
        'button',
        { buttons: [button('a'), button('b')] },
        { header: { type: 'text', text: 'h' }, footer: { text: 'f' } },
      ),
    ],
    [
      'buttons under a picture',
      interactive('button', { buttons: [button('a')] }, { header: { type: 'image', image: { id: '<media>' } } }),
    ],
    ['list', interactive('list', { button: 'open', sections: [section(5, 'a'), section(5, 'b', 5)] })],
    ['cta_url', interactive('cta_url', { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } })],
    ['flow', interactive('flow', { name: 'flow', parameters: flow })],
    ['carousel', carousel(card(0), card(1))],
    ['product', interactive('product', product, { body: undefined })],
    ['products', interactive('product_list', products(30), { header: { type: 'text', text: 'h' } })],
    ['a question for the place', interactive('location_request_message', { name: 'send_location' })],
    ['catalog', interactive('catalog_message', { name: 'catalog_message' })],
    ['template', template('hello_kanal', body(parameter))],
    [
      'template with a button',
      template('spring_sale', [
        ...body(parameter, parameter),
        { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [] },
      ]),
    ],
  ])('%s', async (name, message) => {
    const media = await house.upload({ audio: 'audio/ogg', sticker: 'image/webp' }[name]);
    await house.control('flows', { waba_id: wabaId, id: '1', name: 'A flow', status: 'PUBLISHED' });
    const answer = await house.send(JSON.parse(JSON.stringify(message).replaceAll('<media>', media)));
    expect(answer.body.error).toBeUndefined();
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ messaging_product: 'whatsapp', contacts: [{ input: `+${user}`, wa_id: user }] });
    expect(answer.body.messages[0].id).toMatch(/^wamid\.[A-Za-z0-9+/]+=*$/);
  });

  test('a template says that it was accepted', async () => {
    expect((await house.send(template('hello_kanal', body(parameter)))).body.messages[0].message_status).toBe('accepted');
  });

  test('a user id as recipient is answered without a wa_id; a phone wins over it', async () => {
    const recipient = 'US.13491208655302741918';
    expect((await house.text('x', { to: undefined, recipient })).body.contacts).toEqual([
      { input: recipient, user_id: recipient },
    ]);
    expect((await house.text('x', { recipient })).body.contacts).toEqual([{ input: `+${user}`, wa_id: user }]);
  });

  test('marking as read, with and without typing', async () => {
    const path = `/${phoneNumberId}/messages`;
    const read = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.x' };
    expect(await house.ask('POST', path, read)).toMatchObject({ status: 200, body: { success: true } });
    expect(await house.ask('POST', path, { ...read, typing_indicator: { type: 'text' } })).toMatchObject({
      body: { success: true },
    });
    expect((await house.ask('POST', path, { ...read, message_id: undefined })).body.error.code).toBe(131008);
    expect((await house.ask('POST', path, { ...read, status: 'seen' })).body.error.code).toBe(100);
    expect((await house.ask('POST', path, { ...read, typing_indicator: { type: 'song' } })).body.error.code).toBe(100);
  });
});

describe('refused', () => {
  test.each<[string, number, object]>([
    ['no product', 100, { messaging_product: undefined, text: { body: 'x' } }],
    ['no recipient', 100, { to: undefined, text: { body: 'x' } }],
    ['a recipient that is no phone', 131009, { to: 'Ada', text: { body: 'x' } }],
    ['a user id in to', 131009, { to: 'US.13491208655302741918', text: { body: 'x' } }],
    ['a malformed user id', 131009, { to: undefined, recipient: 'ada', text: { body: 'x' } }],
    ['the number itself', 131021, { to: '+15550100001', text: { body: 'x' } }],
    ['an unknown type', 100, { type: 'poem' }],
    ['a group', 100, { recipient_type: 'group', text: { body: 'x' } }],
    ['callback data of 513', 100, { text: { body: 'x' }, biz_opaque_callback_data: 'x'.repeat(513) }],
    ['a context without an id', 131008, { text: { body: 'x' }, context: {} }],
    ['no text', 131008, { type: 'text' }],
    ['text that is a string', 100, { type: 'text', text: 'x' }],
    ['an empty body', 131008, { text: { body: '' } }],
    ['a body that is a number', 100, { text: { body: 1 } }],
    ['a body of 4097', 100, { text: { body: 'x'.repeat(4_097) } }],
    ['media without a source', 131008, { image: {} }],
    ['media with two sources', 131009, { image: { id: '1', link: 'https://example.com' } }],
    ['a link that is none', 131009, { image: { link: 'ftp://example.com' } }],
    ['media nobody uploaded', 100, { image: { id: '1' } }],
    ['a caption of 1025', 100, { image: { id: '1', caption: 'x'.repeat(1_025) } }],
    ['a caption on audio', 100, { audio: { id: '1', caption: 'x' } }],
    ['no longitude', 131008, { location: { latitude: 1 } }],
    ['a latitude of 91', 131009, { location: { latitude: 91, longitude: 0 } }],
    ['contacts that are no list', 100, { contacts: {} }],
    ['contacts as a text that is no JSON', 100, { contacts: '[{' }],
    ['contacts as a JSON text with half a name', 131008, { contacts: '[{"name":{"formatted_name":"A"}}]' }],
    ['a contact that is no object', 100, { contacts: ['Ada'] }],
    ['a contact with half a name', 131008, { contacts: [{ name: { formatted_name: 'A' } }] }],
    ['a reaction to nothing', 131008, { reaction: { emoji: '👍' } }],
    ['a reaction without emoji', 131008, { reaction: { message_id: 'wamid.x' } }],
    ['an unknown interactive', 100, interactive('poll', {})],
    ['interactive without body', 131008, interactive('button', { buttons: [button('a')] }, { body: undefined })],
    [
      'a header of 61',
      100,
      interactive('button', { buttons: [button('a')] }, { header: { type: 'text', text: 'x'.repeat(61) } }),
    ],
    ['a header of a strange type', 131009, interactive('button', { buttons: [button('a')] }, { header: { type: 'audio' } })],
    [
      'a list under a picture',
      131009,
      interactive('list', { button: 'o', sections: [section(1)] }, { header: { type: 'image', image: { id: '1' } } }),
    ],
    ['a footer of 61', 100, interactive('button', { buttons: [button('a')] }, { footer: { text: 'x'.repeat(61) } })],
    ['four buttons', 131009, interactive('button', { buttons: ['a', 'b', 'c', 'd'].map((id) => button(id)) })],
    ['a button of a strange type', 131009, interactive('button', { buttons: [{ ...button('a'), type: 'url' }] })],
    ['a title of 21', 131009, interactive('button', { buttons: [button('a', 'x'.repeat(21))] })],
    ['an id twice', 131009, interactive('button', { buttons: [button('a', '1'), button('a', '2')] })],
    ['a title twice', 131009, interactive('button', { buttons: [button('a', '1'), button('b', '1')] })],
    ['a product of no catalogue', 131008, interactive('product', { product_retailer_id: 'sku' })],
    ['a product under a header', 131009, interactive('product', product, { header: { type: 'text', text: 'h' } })],
    ['products without a header', 131008, interactive('product_list', products(1))],
    ['thirty-one products', 131009, interactive('product_list', products(31), { header: { type: 'text', text: 'h' } })],
    ['a catalogue misnamed', 131009, interactive('catalog_message', { name: 'catalog' })],
    ['a question for the place misnamed', 131009, interactive('location_request_message', { name: 'location' })],
    ['eleven rows', 131009, interactive('list', { button: 'o', sections: [section(6, 'a'), section(5, 'b', 6)] })],
    ['sections without titles', 131009, interactive('list', { button: 'o', sections: [section(1), section(1, 'b', 1)] })],
    ['a row id twice', 131009, interactive('list', { button: 'o', sections: [section(1, 'a'), section(1, 'b')] })],
    ['a cta without address', 131008, interactive('cta_url', { parameters: { display_text: 'x' } })],
    ['a flow with two names', 131009, interactive('flow', { name: 'flow', parameters: { ...flow, flow_name: 'f' } })],
    ['a flow without a name', 131008, interactive('flow', { name: 'flow', parameters: { ...flow, flow_id: undefined } })],
    [
      'a flow of another version',
      131009,
      interactive('flow', { name: 'flow', parameters: { ...flow, flow_message_version: '9' } }),
    ],
    ['a flow action misnamed', 131009, interactive('flow', { name: 'form', parameters: flow })],
    ['a carousel of one card', 131009, carousel(card(0))],
    ['cards out of order', 131009, carousel(card(1), card(0))],
    ['a card without a picture', 131008, carousel(card(0), card(1, { header: undefined }))],
    ['a card under a document', 131009, carousel(card(0), card(1, { header: { type: 'document', document: { id: '1' } } }))],
    ['a card that does nothing', 131008, carousel(card(0), card(1, { action: {} }))],
    ['a card with a button of another kind', 131008, carousel(card(0), card(1, { action: { buttons: [button('a')] } }))],
    ['a template without language', 131008, { type: 'template', template: { name: 'hello_kanal' } }],
    ['an unknown template', 132001, template('goodbye')],
    ['a template in another language', 132001, template('hello_kanal', body(parameter), 'de')],
    ['a paused template', 132015, template('winter_sale')],
    ['too few parameters', 132000, template('hello_kanal')],
    ['too many parameters', 132000, template('hello_kanal', body(parameter, parameter))],
    ['a parameter of another format', 132012, template('hello_kanal', body({ type: 'image', image: { id: '1' } }))],
    ['an empty parameter', 131008, template('hello_kanal', body({ type: 'text', text: '' }))],
    ['a translation too long', 132005, template('hello_kanal', body({ type: 'text', text: 'x'.repeat(1_100) }))],
    [
      'components that are no list',
      100,
      { type: 'template', template: { name: 'hello_kanal', language: { code: 'en_US' }, components: {} } },
    ],
    ['a strange component', 100, template('hello_kanal', [{ type: 'tail' }])],
    [
      'a button that is not there',
      132000,
      template('spring_sale', [...body(parameter, parameter), { type: 'button', index: 3 }]),
    ],
  ])('%s', async (_name, code, message) => {
    const { status, body } = await house.send(message);
    expect(body.error).toMatchObject({ code, type: 'OAuthException', fbtrace_id: expect.any(String) });
    expect(body.error.message).toMatch(new RegExp(`^\\(#${code}\\) `));
    expect(status).toBe(code === 132001 ? 404 : 400);
    expect((await house.get('/_control/messages')).body.messages).toEqual([]);
  });

  test('a body that is no JSON is a body without parameters', async () => {
    const { status, body } = await house.ask('POST', `/${phoneNumberId}/messages`, '{"messaging');
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 100 });
  });
});

describe('templates of an account', () => {
  const account = {
    waba_id: '201',
    phone_number_id: '101',
    display_phone_number: '+1 555-010-0002',
    access_token: 'sandbox-access-token',
    templates: [
      { id: '1', name: 'login', category: 'AUTHENTICATION', components: [{ type: 'BODY', text: '{{1}} is your code' }] },
      { id: '2', name: 'off', status: 'DISABLED', components: [] },
      { id: '3', name: 'named', parameter_format: 'NAMED', components: [{ type: 'BODY', text: 'Hi {{first}}' }] },
      {
        id: '4',
        name: 'rich',
        components: [
          { type: 'HEADER', format: 'IMAGE' },
          { type: 'BODY', text: 'Look' },
          { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' }] },
        ],
      },
      { id: '5', name: 'pending', status: 'PENDING', components: [] },
    ],
  };
  const header = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.jpg' } }] };
  const link = { type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: 'abc' }] };

  test.each<[string, number | null, object]>([
    ['a code to a phone', null, template('login', body(parameter))],
    ['a code to a user id', 131062, { ...template('login', body(parameter)), to: undefined, recipient: 'US.1' }],
    ['a disabled one', 132016, template('off')],
    ['a pending one', 132001, template('pending')],
    ['a named parameter', null, template('named', body({ ...parameter, parameter_name: 'first' }))],
    ['a misnamed parameter', 132012, template('named', body({ ...parameter, parameter_name: 'last' }))],
    ['a picture and a link', null, template('rich', [header, link])],
    ['no picture', 132012, template('rich', [link])],
    ['a film for a picture', 132012, template('rich', [{ type: 'header', parameters: [{ type: 'video', video: {} }] }, link])],
    ['no link', 131008, template('rich', [header])],
    ['a button without index', 131008, template('rich', [header, { ...link, index: undefined }])],
  ])('%s', async (_name, code, message) => {
    await house.control('accounts', account);
    const { body } = await house.ask('POST', '/101/messages', { messaging_product: 'whatsapp', to: user, ...message });
    expect(body.error?.code ?? null).toBe(code);
  });
});
