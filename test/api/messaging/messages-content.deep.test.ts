import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
let phone: string;

beforeAll(async () => {
  channel = await app.connect();
  ({ phone } = await app.conversation(channel));
});

const send = (type: string, content: unknown, more: object = {}) =>
  app.call('messages.send', { body: { channel_id: channel.id, to: `+${phone}`, type, [type]: content, ...more } });
const x = (count: number) => 'x'.repeat(count);
const link = 'https://example.com/file';
const card = { name: { formatted_name: 'Ada L', first_name: 'Ada' } };
const body = { text: 'Choose' };
const button = (id: string, title = id) => ({ type: 'reply', reply: { id, title } });
const buttons = (...all: object[]) => ({ type: 'button', body, action: { buttons: all } });
const row = (id: number) => ({ id: String(id), title: `Row ${id}` });
const rows = (count: number, from = 0) => Array.from({ length: count }, (_, index) => row(from + index));
const list = (...sections: object[]) => ({ type: 'list', body, action: { button: 'Open', sections } });
const cta = (parameters: object) => ({ type: 'cta_url', body, action: { name: 'cta_url', parameters } });
const flowId = '01932d5f-3a0e-7cc4-8f4e-0242ac12f10e';
const flow = (parameters: object) => ({
  type: 'flow',
  body,
  action: { name: 'flow', parameters: { flow_cta: 'Go', ...parameters } },
});
const items = (count: number) => Array.from({ length: count }, (_, index) => ({ product_retailer_id: String(index) }));
const products = (...sections: object[]) => ({
  type: 'product_list',
  header: { type: 'text', text: 'Ours' },
  body,
  action: { catalog_id: '1', sections },
});
const textHeader = { type: 'text', text: 'h' };

describe('taken, and shown as it was sent:', () => {
  test.each<[string, string, unknown]>([
    ['an image by the provider’s id', 'image', { id: '123', caption: x(1_024) }],
    ['a video by link', 'video', { link }],
    ['a voice message', 'audio', { id: '1', voice: true }],
    ['a document', 'document', { link, filename: `${x(236)}.pdf`, caption: 'c' }],
    ['a sticker', 'sticker', { id: '1' }],
    ['a location at the corner of the world', 'location', { latitude: -90, longitude: 180 }],
    [
      'three buttons under a document',
      'interactive',
      {
        ...buttons(button('a'), button('b'), button('c', x(20))),
        header: { type: 'document', document: { link, filename: 'a.pdf' } },
        footer: { text: x(60) },
      },
    ],
    [
      'a list of ten rows',
      'interactive',
      {
        ...list({ title: 'a', rows: rows(4) }, { title: 'b', rows: rows(6, 4) }),
        body: { text: x(4_096) },
      },
    ],
    [
      'thirty products',
      'interactive',
      products({ title: 'a', product_items: items(20) }, { title: 'b', product_items: items(10) }),
    ],
    ['a product without words', 'interactive', { type: 'product', action: { catalog_id: '1', product_retailer_id: 'a' } }],
  ])('%s', async (_what, type, content) => {
    const reply = await send(type, content);
    expect([reply.status, reply.body.error]).toEqual([201, undefined]);
    expect([reply.body.data.type, reply.body.data.content]).toEqual([type, content]);
  });

  test('cards of contacts, in an object as received ones are', async () => {
    const { status, body: reply } = await send('contacts', [card, card]);
    expect([status, reply.data.content]).toEqual([201, { contacts: [card, card] }]);
  });

  test.each(['👍', '❤', '❤️', '👩🏽‍❤️‍💋‍👨🏿', '🇮🇩', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', ''])('the reaction %s', async (emoji) => {
    const { body: first } = await send('text', { body: 'Hello' });
    await storedMessages.change(app, first.data.id, { provider_message_id: `wamid.${first.data.id}` });
    const { status, body: reply } = await send('reaction', { message_id: first.data.id, emoji });
    expect([status, reply.data?.content.emoji]).toEqual([201, emoji]);
  });
});

describe('refused, naming the field, and nothing stored:', () => {
  test.each<[string, string, unknown, string]>([
    ['white space alone', 'text', { body: ' \n\t' }, 'text.body'],
    ['no file', 'image', { caption: 'c' }, 'image'],
    ['a file in two ways', 'image', { id: '1', link }, 'image'],
    ['an asset that is not there', 'image', { asset_id: 'x' }, 'image.asset_id'],
    ['a link that is none', 'video', { link: 'file.mp4' }, 'video.link'],
    ['a link of another kind', 'video', { link: 'ftp://example.com/a' }, 'video.link'],
    ['a link too long', 'video', { link: `https://example.com/${x(2_000)}` }, 'video.link'],
    ['a caption of 1,025', 'image', { id: '1', caption: x(1_025) }, 'image.caption'],
    ['a caption on audio', 'audio', { id: '1', caption: 'c' }, 'audio.caption'],
    ['a voice that is a word', 'audio', { id: '1', voice: 'yes' }, 'audio.voice'],
    ['a filename of 241', 'document', { id: '1', filename: x(241) }, 'document.filename'],
    ['a filename on an image', 'image', { id: '1', filename: 'a.png' }, 'image.filename'],
    ['a caption on a sticker', 'sticker', { id: '1', caption: 'c' }, 'sticker.caption'],
    ['a latitude beyond the pole', 'location', { latitude: 90.1, longitude: 0 }, 'location.latitude'],
    ['a longitude as text', 'location', { latitude: 0, longitude: '1' }, 'location.longitude'],
    ['half a location', 'location', { latitude: 0 }, 'location.longitude'],
    ['no cards', 'contacts', [], 'contacts'],
    ['258 cards', 'contacts', Array(258).fill(card), 'contacts'],
    ['a card without a name', 'contacts', [{ phones: [{ phone: '+1' }] }], 'contacts[0].name'],
    ['a card with a whole name alone', 'contacts', [{ name: { formatted_name: 'Ada' } }], 'contacts[0].name'],
    ['a birthday of another form', 'contacts', [{ ...card, birthday: '1.2.1990' }], 'contacts[0].birthday'],
    [
      'cards of more than 256 kB',
      'contacts',
      Array(257).fill({ ...card, org: { company: x(1_000), title: x(1_000) } }),
      'contacts',
    ],
    ['a reaction to nothing', 'reaction', { emoji: '👍' }, 'reaction.message_id'],
    ['a reaction without an emoji', 'reaction', { message_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120005' }, 'reaction.emoji'],
    ['an emoji of 17', 'reaction', { message_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120005', emoji: x(17) }, 'reaction.emoji'],
    ...['ok', '7', ' ', '👍👍', '👍!'].map((emoji): [string, string, unknown, string] => [
      `a reaction of ${JSON.stringify(emoji)}`,
      'reaction',
      { message_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120005', emoji },
      'reaction.emoji',
    ]),
    ['a reaction to an id that is none', 'reaction', { message_id: 'wamid.1', emoji: '👍' }, 'reaction.message_id'],
    ['no interactive type', 'interactive', { body }, 'interactive.type'],
    ['an unknown interactive type', 'interactive', { type: 'poll', body }, 'interactive.type'],
    ['an interactive that is a list', 'interactive', [], 'interactive'],
    ['buttons without words', 'interactive', { type: 'button', action: { buttons: [button('a')] } }, 'interactive.body'],
    ['words of 1,025', 'interactive', { ...buttons(button('a')), body: { text: x(1_025) } }, 'interactive.body.text'],
    ['a footer of 61', 'interactive', { ...buttons(button('a')), footer: { text: x(61) } }, 'interactive.footer.text'],
    [
      'a header of 61',
      'interactive',
      { ...buttons(button('a')), header: { type: 'text', text: x(61) } },
      'interactive.header.text',
    ],
    [
      'a header of audio',
      'interactive',
      { ...buttons(button('a')), header: { type: 'audio', audio: { link } } },
      'interactive.header.type',
    ],
    [
      'a header with two files',
      'interactive',
      { ...buttons(button('a')), header: { type: 'image', image: { link, id: '1' } } },
      'interactive.header.image',
    ],
    ['no buttons', 'interactive', buttons(), 'interactive.action.buttons'],
    ['four buttons', 'interactive', buttons(...['a', 'b', 'c', 'd'].map((id) => button(id))), 'interactive.action.buttons'],
    ['two buttons with one id', 'interactive', buttons(button('a', '1'), button('a', '2')), 'interactive.action.buttons[1]'],
    ['two buttons with one title', 'interactive', buttons(button('a', '1'), button('b', '1')), 'interactive.action.buttons[1]'],
    ['a title of 21', 'interactive', buttons(button('a', x(21))), 'interactive.action.buttons[0].reply.title'],
    ['an id of 257', 'interactive', buttons(button(x(257), 'a')), 'interactive.action.buttons[0].reply.id'],
    [
      'a list under a picture',
      'interactive',
      { ...list({ rows: rows(1) }), header: { type: 'image', image: { link } } },
      'interactive.header.type',
    ],
    ['a list without rows', 'interactive', list({ rows: [] }), 'interactive.action.sections[0].rows'],
    ['eleven rows in one section', 'interactive', list({ rows: rows(11) }), 'interactive.action.sections[0].rows'],
    [
      'eleven rows in two sections',
      'interactive',
      list({ title: 'a', rows: rows(6) }, { title: 'b', rows: rows(5, 6) }),
      'interactive.action.sections',
    ],
    [
      'a row id twice',
      'interactive',
      list({ title: 'a', rows: rows(1) }, { title: 'b', rows: rows(1) }),
      'interactive.action.sections',
    ],
    [
      'two sections, one without a title',
      'interactive',
      list({ title: 'a', rows: rows(1) }, { rows: rows(1, 1) }),
      'interactive.action.sections',
    ],
    ['eleven sections', 'interactive', list(...Array(11).fill({ title: 'a', rows: rows(1) })), 'interactive.action.sections'],
    [
      'a description of 73',
      'interactive',
      list({ rows: [{ ...row(1), description: x(73) }] }),
      'interactive.action.sections[0].rows[0].description',
    ],
    [
      'a button with a url of its own making',
      'interactive',
      cta({ display_text: 'Open', url: 'tel:1' }),
      'interactive.action.parameters.url',
    ],
    [
      'a link with 21 letters',
      'interactive',
      cta({ display_text: x(21), url: link }),
      'interactive.action.parameters.display_text',
    ],
    ['a flow of two names', 'interactive', flow({ flow_id: flowId, flow_name: 'a' }), 'interactive.action.parameters'],
    ['a flow of no name', 'interactive', flow({}), 'interactive.action.parameters'],
    [
      'a flow of another version',
      'interactive',
      flow({ flow_id: flowId, flow_message_version: '4' }),
      'interactive.action.parameters.flow_message_version',
    ],
    [
      'a call to a flow of 31',
      'interactive',
      flow({ flow_id: flowId, flow_cta: x(31) }),
      'interactive.action.parameters.flow_cta',
    ],
    [
      'a product under a header',
      'interactive',
      { type: 'product', header: textHeader, action: { catalog_id: '1', product_retailer_id: 'a' } },
      'interactive.header',
    ],
    [
      'products without a header',
      'interactive',
      { ...products({ product_items: items(1) }), header: undefined },
      'interactive.header',
    ],
    [
      '31 products',
      'interactive',
      products({ title: 'a', product_items: items(20) }, { title: 'b', product_items: items(11) }),
      'interactive.action.sections',
    ],
    [
      'a question for the place with a footer',
      'interactive',
      { type: 'location_request_message', body, footer: body, action: { name: 'send_location' } },
      'interactive.footer',
    ],
    [
      'an action of another type',
      'interactive',
      { ...buttons(button('a')), action: { name: 'send_location' } },
      'interactive.action.buttons',
    ],
  ])('%s', async (_what, type, content, field) => {
    const before = await app.counts();
    const { status, body: reply } = await send(type, content);
    expect([status, reply.error?.code]).toEqual([422, 'invalid_request']);
    expect(reply.error.details.map((detail: { field: string }) => detail.field)).toContain(field);
    expect(await app.counts()).toEqual(before);
  });

  test('content of another type than the one named', async () => {
    const { status, body: reply } = await send('image', { id: '1' }, { video: { id: '1' } });
    expect([status, reply.error.details[0].field]).toEqual([422, 'video']);
  });

  test('a reaction that also answers', async () => {
    const message_id = '01932d5f-3a0e-7cc4-8f4e-0242ac120005';
    const { status, body: reply } = await send('reaction', { message_id, emoji: '👍' }, { context: { message_id } });
    expect([status, reply.error.details[0].field]).toEqual([422, 'context']);
  });
});

describe('outside the 24 hours only a template goes out:', () => {
  test.each<[string, unknown]>([
    ['image', { id: '1' }],
    ['contacts', [card]],
    ['reaction', { message_id: '01932d5f-3a0e-7cc4-8f4e-0242ac120005', emoji: '👍' }],
    ['interactive', buttons(button('a'))],
  ])('%s: 422', async (type, content) => {
    const { phone: silent } = await app.conversation(channel, app.phone(), 'null');
    const { status, body: reply } = await send(type, content, { to: `+${silent}` });
    expect([status, reply.error.code]).toEqual([422, 'window_closed']);
  });
});

test.each<[string, unknown, string]>([
  ['image', { id: '1', caption: 'Look' }, 'Look'],
  ['sticker', { id: '1' }, '[sticker]'],
  ['location', { latitude: 1, longitude: 2, name: 'Here' }, 'Here'],
  ['contacts', [card], '[contacts]'],
  ['interactive', buttons(button('a')), 'Choose'],
  ['interactive', { type: 'product', action: { catalog_id: '1', product_retailer_id: 'a' } }, '[interactive]'],
])('the conversation shows of %s what one can read: %j', async (type, content, preview) => {
  const conversation = await app.conversation(channel);
  await send(type, content, { to: `+${conversation.phone}` });
  expect((await storedConversations.one(app, conversation.id)).preview).toBe(preview);
});
