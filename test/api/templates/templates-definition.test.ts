import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { body, definition } from '../../support/templates.ts';

/** Without workers: nothing is submitted. */
const app = useApp();
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const create = (more: object) => app.call('templates.create', { body: definition(channel, more) });
const plain = { type: 'BODY', text: 'Hello' };
const buttons = (...list: object[]) => [plain, { type: 'BUTTONS', buttons: list }];
const reply = { type: 'QUICK_REPLY', text: 'Yes' };
const url = (more: object = {}) => ({ type: 'URL', text: 'Open', url: 'https://example.com/', ...more });
const call = { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100001' };
const header = (more: object) => [{ type: 'HEADER', format: 'TEXT', ...more }, plain];
const card = (text: string, ...list: object[]) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } },
    { type: 'BODY', text },
    { type: 'BUTTONS', buttons: list },
  ],
});
const otp = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] };
const named = (...names: string[]) => ({ body_text_named_params: names.map((name) => ({ param_name: name, example: 'x' })) });

describe('what the provider would refuse is a 422 that says where, and makes nothing', () => {
  const components = (list: object[]) => ({ components: list });
  const cases: [what: string, more: object, field: string, message: RegExp][] = [
    ['a name with capitals', { name: 'Order' }, 'name', /lowercase letters, digits and underscores/],
    ['an empty name', { name: '' }, 'name', /empty/],
    ['a long name', { name: 'a'.repeat(513) }, 'name', /512/],
    ['a language that is none', { language: 'english' }, 'language', /language/],
    ['a category that is none', { category: 'news' }, 'category', /must be one of/],
    ['no components', components([]), 'components', /at least 1/],
    ['no body', components([{ type: 'FOOTER', text: 'x' }]), 'components', /needs a component of type BODY/],
    ['two bodies', components([plain, plain]), 'components[1].type', /one component of type BODY/],
    ['a component that is none', components([plain, { type: 'SIDE' }]), 'components[1].type', /must be one of/],
    ['an empty body', components([{ type: 'BODY', text: '' }]), 'components[0].text', /empty/],
    ['a body without text', components([{ type: 'BODY' }]), 'components[0].text', /needs its text/],
    ['a long body', components([{ type: 'BODY', text: 'x'.repeat(1_025) }]), 'components[0].text', /1024/],
    [
      'no example',
      components([body('Hi {{1}}.', {})]),
      'components[0].example.body_text',
      /1 parameters and needs as many examples, not 0/,
    ],
    [
      'an example too few',
      components([body('Hi {{1}}, {{2}}.', { body_text: [['a']] })]),
      'components[0].example.body_text',
      /2 parameters/,
    ],
    [
      'a gap in the numbers',
      components([body('Hi {{1}}, {{3}}.', { body_text: [['a', 'b']] })]),
      'components[0].text',
      /without a gap/,
    ],
    ['names with capitals', components([body('Hi {{Name}}.', named('Name'))]), 'components[0].text', /lowercase/],
    ['names among numbers', components([body('Hi {{1}}, {{name}}.', named('name'))]), 'components[0].text', /lowercase/],
    [
      'a name without example',
      components([body('Hi {{first}}, {{last}}.', named('first'))]),
      'components[0].example.body_text_named_params',
      /The parameter last needs an example/,
    ],
    ['a parameter at the end', components([body('Hi {{1}}')]), 'components[0].text', /begin or end with a parameter/],
    ['a parameter at the beginning', components([body('{{1}} hi.')]), 'components[0].text', /begin or end with a parameter/],
    ['a header without text', components(header({})), 'components[0].text', /needs its text/],
    ['a long header', components(header({ text: 'x'.repeat(61) })), 'components[0].text', /60/],
    ['two parameters in the header', components(header({ text: '{{1}} {{2}}' })), 'components[0].text', /one parameter at most/],
    [
      'a header with a file, without a sample',
      components(header({ format: 'IMAGE' })),
      'components[0].example.header_handle',
      /sample/,
    ],
    [
      'a header of a file with text',
      components(header({ format: 'LOCATION', text: 'x' })),
      'components[0].text',
      /Only a header of format TEXT/,
    ],
    [
      'a parameter in the footer',
      components([plain, { type: 'FOOTER', text: 'Bye {{1}}.' }]),
      'components[1].text',
      /no parameters/,
    ],
    ['a long footer', components([plain, { type: 'FOOTER', text: 'x'.repeat(61) }]), 'components[1].text', /60/],
    ['eleven buttons', components(buttons(...Array(11).fill(reply))), 'components[1].buttons', /10/],
    ['a long label', components(buttons({ ...reply, text: 'x'.repeat(26) })), 'components[1].buttons[0].text', /25/],
    [
      'a button that is none',
      components(buttons({ type: 'SHOUT', text: 'x' })),
      'components[1].buttons[0].type',
      /must be one of/,
    ],
    ['three links', components(buttons(url(), url(), url())), 'components[1].buttons', /at most 2 buttons of type URL/],
    ['two numbers', components(buttons(call, call)), 'components[1].buttons', /at most 1 button of type PHONE_NUMBER/],
    ['replies on both sides', components(buttons(reply, url(), reply)), 'components[1].buttons', /must stand together/],
    [
      'a catalogue among others',
      components(buttons({ type: 'CATALOG', text: 'See' }, url())),
      'components[1].buttons',
      /the only one/,
    ],
    ['a link to nowhere', components(buttons(url({ url: 'example' }))), 'components[1].buttons[0].url', /address/],
    [
      'a parameter within a link',
      components(buttons(url({ url: 'https://example.com/{{1}}/x', example: ['a'] }))),
      'components[1].buttons[0].url',
      /at its end/,
    ],
    [
      'a link without example',
      components(buttons(url({ url: 'https://example.com/{{1}}' }))),
      'components[1].buttons[0].example',
      /needs one example/,
    ],
    [
      'a number of words',
      components(buttons({ ...call, phone_number: 'home' })),
      'components[1].buttons[0].phone_number',
      /digits/,
    ],
    [
      'one card',
      { category: 'marketing', ...components([plain, { type: 'CAROUSEL', cards: [card('A', reply)] }]) },
      'components[1].cards',
      /at least 2/,
    ],
    [
      'cards that differ',
      { category: 'marketing', ...components([plain, { type: 'CAROUSEL', cards: [card('A', reply), card('B', url())] }]) },
      'components[1].cards',
      /same components and buttons/,
    ],
    [
      'a code with words of its own',
      { category: 'authentication', ...components([plain, otp]) },
      'components[0].text',
      /leave text out/,
    ],
    [
      'a code without button',
      { category: 'authentication', ...components([{ type: 'BODY' }]) },
      'components',
      /button of type OTP/,
    ],
    ['something unknown', { components: [plain], tone: 'kind' }, 'tone', /not allowed/],
  ];
  test.each(cases)('%s', async (_what, more, field, message) => {
    const before = await app.counts();
    const { status, body: refused } = await create(more);
    expect([status, refused.error.code]).toEqual([422, 'invalid_request']);
    const detail = refused.error.details.find((one: { field: string }) => one.field === field);
    expect([refused.error.details.map((one: { field: string }) => one.field), detail?.message]).toEqual([
      expect.arrayContaining([field]),
      expect.stringMatching(message),
    ]);
    expect(await app.counts()).toEqual(before);
  });
});

describe('taken:', () => {
  test.each<[string, object]>([
    ['a place for a header', { components: header({ format: 'LOCATION' }) }],
    ['names', { components: [body('Hi {{first_name}}, welcome.', named('first_name'))] }],
    ['numbers in any order, and twice', { components: [body('Hi {{2}}, {{1}}, {{2}}.', { body_text: [['a', 'b']] })] }],
    ['replies, then links', { components: buttons(reply, { ...reply, text: 'No' }, url(), call) }],
    ['cards', { category: 'marketing', components: [plain, { type: 'CAROUSEL', cards: [card('A', reply), card('B', reply)] }] }],
    [
      'a code to log in with',
      { category: 'authentication', components: [{ type: 'BODY', add_security_recommendation: true }, otp] },
    ],
    [
      'an offer',
      { category: 'marketing', components: [plain, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } }] },
    ],
  ])('%s', async (_what, more) => {
    expect((await create(more)).status).toBe(201);
  });
});

describe('while nothing has reached the provider', () => {
  test('another edit of a draft under way is a 409', async () => {
    const { id: templateID } = (await create({})).body;
    const edit = await app.call('templates.update', { params: { templateID }, body: { components: [plain] } });
    expect([edit.status, edit.headers.get('retry-after')]).toEqual([409, '5']);
  });

  test('a deleted draft keeps its name until its job has run, and cannot be seen', async () => {
    const { id: templateID } = (await create({ name: 'going' })).body;
    expect((await app.call('templates.delete', { params: { templateID } })).status).toBe(204);
    expect((await app.call('templates.get', { params: { templateID } })).status).toBe(404);
    expect((await create({ name: 'going' })).status).toBe(409);
  });

  test('a sync that is asked twice is one operation', async () => {
    const sync = async (on: Channel) =>
      (await app.call('templates.sync', { params: { channelID: on.id } })).headers.get('operation-id');
    const [one, other] = [await app.connect(), await app.connect()];
    expect([await sync(one), await sync(one)]).toEqual(Array(2).fill(await sync(one)));
    expect(await sync(other)).not.toBe(await sync(one));
  });
});
