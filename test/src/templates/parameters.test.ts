import { describe, expect, test } from '@jest/globals';
import { AppError } from '../../../src/platform/errors.ts';
import { assertParameters, parameterFaults } from '../../../src/templates/parameters.ts';
import { previewOf } from '../../../src/templates/preview.ts';
import { fc } from '../../support/fast-check.ts';

type Given = object[] | undefined;
const text = (value: string, name?: string) => ({ type: 'text', text: value, ...(name && { parameter_name: name }) });
const body = (...parameters: object[]) => ({ type: 'body', parameters });
const header = (...parameters: object[]) => ({ type: 'header', parameters });
const button = (index: unknown, sub_type: string, ...parameters: object[]) => ({
  ...{ type: 'button', sub_type, index },
  ...(parameters.length > 0 && { parameters }),
});

const says = (value: string) => ({ type: 'BODY', text: value });
const plain = says('Hello');
const two = [says('Hi {{1}}, order {{2}} is here')];
const named = [says('Hi {{first}}, order {{order_id}} is here')];
const media = (format: string) => [{ type: 'HEADER', format }, plain];
const buttons = (...list: object[]) => [plain, { type: 'BUTTONS', buttons: list }];
const link = { type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' };
const card = { components: [{ type: 'HEADER', format: 'IMAGE' }, says('For {{1}}')] };
const cards = [plain, { type: 'CAROUSEL', cards: [card, card] }];
const filled = (card_index: unknown, ...more: object[]) => ({
  card_index,
  components: [header({ type: 'image', image: { id: '1' } }), body(text('x')), ...more],
});
const carousel = (...list: object[]) => ({ type: 'carousel', cards: list });

const found = (components: object[], given: Given, category = 'utility') =>
  parameterFaults({ category, components }, given ?? [], ['components']).map(({ path, code, message }) => [
    path.join('.'),
    code.replace('template.', ''),
    message,
  ]);

describe('right:', () => {
  test.each<[string, object[], Given]>([
    ['no parameters, no components', [plain], undefined],
    ['no parameters, an empty body', [plain], [body()]],
    ['two in order', two, [body(text('Ada'), text('A-1'))]],
    ['types in capitals', two, [{ ...body(text('Ada'), text('A-1')), type: 'BODY' }]],
    ['one that is used twice', [says('{{1}} and {{1}}')], [body(text('Ada'))]],
    ['names in any order', named, [body(text('A-1', 'order_id'), text('Ada', 'first'))]],
    [
      'money and a time',
      two,
      [
        body(
          { type: 'currency', currency: { fallback_value: '$1', code: 'USD', amount_1000: 1_000 } },
          { type: 'date_time', date_time: { fallback_value: 'Monday' } },
        ),
      ],
    ],
    ['a picture by id', media('IMAGE'), [header({ type: 'image', image: { id: '1' } })]],
    [
      'a document by link',
      media('DOCUMENT'),
      [header({ type: 'document', document: { link: 'https://example.com', filename: 'a' } })],
    ],
    ['a place', media('LOCATION'), [header({ type: 'location', location: { latitude: 0, longitude: '2', name: 'Here' } })]],
    ['a link with its end', buttons(link), [button(0, 'url', text('abc'))]],
    ['an index as text', buttons({ type: 'QUICK_REPLY', text: 'x' }, link), [button('1', 'url', text('abc'))]],
    [
      'a reply with and without payload',
      buttons({ type: 'QUICK_REPLY' }),
      [button(0, 'quick_reply', { type: 'payload', payload: 'x' })],
    ],
    [
      'nothing for a reply, a number, a whole link',
      buttons({ type: 'QUICK_REPLY' }, { type: 'PHONE_NUMBER' }, { ...link, url: 'https://a' }),
      [],
    ],
    ['a code to copy', buttons({ type: 'COPY_CODE' }), [button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'SALE' })]],
    ['a flow without data', buttons({ type: 'FLOW' }), []],
    ['four spaces in a row', [says('Hi {{1}}.')], [body(text('a    b'))]],
    [
      'a header, a code and a payload as long as they may be',
      [
        { type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' },
        plain,
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY' }, { type: 'COPY_CODE' }] },
      ],
      [
        header(text('x'.repeat(57))),
        button(0, 'quick_reply', { type: 'payload', payload: 'x'.repeat(256) }),
        button(1, 'copy_code', { type: 'coupon_code', coupon_code: 'x'.repeat(20) }),
      ],
    ],
    [
      'an emoji, which is one character',
      [{ type: 'HEADER', format: 'TEXT', text: '{{1}}' }, plain],
      [header(text('👍'.repeat(60)))],
    ],
    ['cards in any order', cards, [carousel(filled(1), filled('0'))]],
    ['a button of a type we do not know', buttons({ type: 'NEW' }), [button(0, 'new', text('x'))]],
    ['a template that is not known', [], [body(text('x'))]],
  ])('%s', (_what, components, given) => {
    expect(() => assertParameters({ category: 'utility', components }, given, [])).not.toThrow();
  });

  test('a code to log in with, before the provider has written its words', () => {
    const components = [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }];
    expect(found(components, [body(text('1')), button(0, 'url', text('1'))], 'AUTHENTICATION')).toEqual([]);
    expect(found(components, [], 'authentication').map(([, code]) => code)).toEqual(['parameter_missing', 'parameter_missing']);
  });
});

test('a code to log in with has at most 15 characters, in the words and on the button', () => {
  const components = [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP' }] }];
  const given = (code: string) => [body(text(code)), button(0, 'url', text(code))];
  expect(found(components, given('1'.repeat(15)), 'authentication')).toEqual([]);
  expect(found(components, given('1'.repeat(16)), 'authentication')).toEqual([
    ['components.0.parameters.0.text', 'parameter_length', 'A code to log in with has at most 15 characters'],
    ['components.1.parameters.0.text', 'parameter_length', 'The button at index 0 (url) takes at most 15 characters'],
  ]);
});

type Case = [what: string, components: object[], given: Given, ...faults: [string, string, string][]];

describe('wrong: where, and why', () => {
  const cases: Case[] = [
    [
      'none of two',
      two,
      undefined,
      ['components', 'parameter_missing', 'The body takes 2 parameters and got 0: {{1}} is missing'],
      ['components', 'parameter_missing', 'The body takes 2 parameters and got 0: {{2}} is missing'],
    ],
    [
      'one of two',
      two,
      [body(text('Ada'))],
      ['components.0.parameters', 'parameter_missing', 'The body takes 2 parameters and got 1: {{2}} is missing'],
    ],
    [
      'three for two',
      two,
      [body(text('a'), text('b'), text('c'))],
      ['components.0.parameters.2', 'parameter_unknown', 'The body takes 2 parameters and got 3: this one is too many'],
    ],
    [
      'one for none',
      [plain],
      [body(text('a'))],
      ['components.0.parameters.0', 'parameter_unknown', 'The body takes 0 parameters and got 1: this one is too many'],
    ],
    [
      'a name for a number',
      [says('Hi {{1}}.')],
      [body(text('a', 'first'))],
      [
        'components.0.parameters.0.parameter_name',
        'parameter_name',
        'The parameters of this template have numbers, not names: leave parameter_name out',
      ],
    ],
    [
      'numbers for names',
      named,
      [body(text('a'), text('b'))],
      ['components.0.parameters', 'parameter_missing', 'The body needs the parameter first'],
      ['components.0.parameters', 'parameter_missing', 'The body needs the parameter order_id'],
      [
        'components.0.parameters.0.parameter_name',
        'parameter_unknown',
        'The body has no parameter without a name; it has first, order_id',
      ],
      [
        'components.0.parameters.1.parameter_name',
        'parameter_unknown',
        'The body has no parameter without a name; it has first, order_id',
      ],
    ],
    [
      'a name twice, another missing',
      named,
      [body(text('a', 'first'), text('b', 'first'))],
      ['components.0.parameters', 'parameter_missing', 'The body needs the parameter order_id'],
      ['components.0.parameters.1.parameter_name', 'parameter_twice', 'The parameter first is given twice'],
    ],
    [
      'an empty text',
      [says('Hi {{1}}.')],
      [body(text(''))],
      ['components.0.parameters.0.text', 'parameter_empty', 'A parameter of type text needs its text'],
    ],
    [
      'a picture in a text',
      [says('Hi {{1}}.')],
      [body({ type: 'image', image: { id: '1' } })],
      ['components.0.parameters.0.type', 'parameter_type', 'A parameter of a text must be of type text, currency or date_time'],
    ],
    [
      'money without what is shown in its place',
      [says('Hi {{1}}.')],
      [body({ type: 'currency', currency: { code: 'USD', amount_1000: 1 } })],
      [
        'components.0.parameters.0.currency.fallback_value',
        'parameter_empty',
        'A parameter of type currency needs fallback_value',
      ],
    ],
    [
      'a text that does not fit',
      [says('Hi {{1}}.')],
      [body(text('x'.repeat(1_024)))],
      ['components.0.parameters', 'body_length', 'The body has 1028 characters with its parameters, and at most 1024 fit'],
    ],
    ...['a\nb', 'a\rb', 'a\tb', 'a     b'].map(
      (value): Case => [
        `a value that is no single line: ${JSON.stringify(value)}`,
        [says('Hi {{1}}.')],
        [body(text(value))],
        [
          'components.0.parameters.0.text',
          'parameter_line',
          'A parameter has no line break, no tab and no more than 4 spaces in a row',
        ],
      ],
    ),
    [
      'a header that does not fit',
      [{ type: 'HEADER', format: 'TEXT', text: 'Hi {{1}}' }, plain],
      [header(text('x'.repeat(58)))],
      ['components.0.parameters', 'header_length', 'The header has 61 characters with its parameters, and at most 60 fit'],
    ],
    [
      'a card that does not fit',
      cards,
      [carousel(filled(0), { ...filled(1), components: [filled(1).components[0]!, body(text('x'.repeat(900)))] })],
      [
        'components.0.cards.1.components.1.parameters',
        'body_length',
        'The body has 904 characters with its parameters, and at most 160 fit',
      ],
    ],
    ...['not a url', 'ftp://a.example/b', 'https://', `https://a.example/${'b'.repeat(2_000)}`].map(
      (address): Case => [
        `a link that is no address: ${address.slice(0, 20)}`,
        media('IMAGE'),
        [header({ type: 'image', image: { link: address } })],
        [
          'components.0.parameters.0.image.link',
          'parameter_link',
          'The link must be a whole http or https address of at most 2000 characters',
        ],
      ],
    ),
    [
      'a coupon of 500 characters',
      buttons({ type: 'COPY_CODE' }),
      [button(0, 'copy_code', { type: 'coupon_code', coupon_code: 'x'.repeat(500) })],
      [
        'components.0.parameters.0.coupon_code',
        'parameter_length',
        'The button at index 0 (copy_code) takes at most 20 characters',
      ],
    ],
    [
      'a payload of 5,000 characters',
      buttons({ type: 'QUICK_REPLY' }),
      [button(0, 'quick_reply', { type: 'payload', payload: 'x'.repeat(5_000) })],
      [
        'components.0.parameters.0.payload',
        'parameter_length',
        'The button at index 0 (quick_reply) takes at most 256 characters',
      ],
    ],
    ['no picture', media('IMAGE'), [], ['components', 'parameter_missing', 'The header needs a parameter of type image']],
    [
      'a video for a picture',
      media('IMAGE'),
      [header({ type: 'video', video: { id: '1' } })],
      ['components.0.parameters.0.type', 'header_kind', 'The header takes a parameter of type image, not video'],
    ],
    [
      'a picture by id and by link',
      media('IMAGE'),
      [header({ type: 'image', image: { id: '1', link: 'https://a' } })],
      [
        'components.0.parameters.0.image',
        'parameter_empty',
        'The image of the header needs exactly one of id, link and asset_id',
      ],
    ],
    [
      'two pictures',
      media('IMAGE'),
      [header({ type: 'image', image: { id: '1' } }, { type: 'image', image: { id: '2' } })],
      ['components.0.parameters.1', 'parameter_unknown', 'The header takes one image'],
    ],
    [
      'half a place',
      media('LOCATION'),
      [header({ type: 'location', location: { latitude: 1 } })],
      ['components.0.parameters.0.location', 'parameter_empty', 'The location of the header needs latitude and longitude'],
    ],
    [
      'no end for the link',
      buttons(link),
      [],
      ['components', 'parameter_missing', 'The button at index 0 (url) needs its parameter of type text'],
    ],
    [
      'an end for a whole link',
      buttons({ ...link, url: 'https://a' }),
      [button(0, 'url', text('x'))],
      ['components.0.parameters', 'parameter_unknown', 'The button at index 0 (url) takes no parameters'],
    ],
    [
      'another sub_type',
      buttons(link),
      [button(0, 'quick_reply', { type: 'payload', payload: 'x' })],
      ['components.0.sub_type', 'button_type', 'The button at index 0 (url) takes sub_type url'],
    ],
    [
      'another type of parameter',
      buttons({ type: 'COPY_CODE' }),
      [button(0, 'copy_code', text('SALE'))],
      [
        'components.0.parameters.0.type',
        'parameter_type',
        'The button at index 0 (copy_code) takes a parameter of type coupon_code',
      ],
    ],
    [
      'no such button',
      buttons({ type: 'QUICK_REPLY' }),
      [button(1, 'quick_reply')],
      ['components.0.index', 'button_index', 'The template has 1 buttons: there is none at index 1'],
    ],
    [
      'no index',
      buttons({ type: 'QUICK_REPLY' }),
      [button(undefined, 'quick_reply')],
      ['components.0.index', 'button_index', "A button's component needs its index, from 0"],
    ],
    [
      'a button twice',
      buttons({ type: 'QUICK_REPLY' }),
      [button(0, 'quick_reply'), button('0', 'quick_reply')],
      ['components.1.index', 'button_index', 'The button at index 0 is given twice'],
    ],
    ['two bodies', [plain], [body(), body()], ['components.1.type', 'component_twice', 'The component body is given twice']],
    [
      'a component that is none',
      [plain],
      [{ type: 'footer' }],
      ['components.0.type', 'component_unknown', 'A message has no component of type footer'],
    ],
    [
      'a card too few',
      cards,
      [carousel(filled(0))],
      ['components.0.cards', 'parameter_missing', 'The carousel has 2 cards and got 1'],
    ],
    [
      'a card twice',
      cards,
      [carousel(filled(0), filled(0))],
      ['components.0.cards.1.card_index', 'card_index', 'Each card needs its own card_index, from 0 to 1'],
    ],
    [
      'a card that lacks',
      cards,
      [carousel(filled(0), { card_index: 1, components: [header({ type: 'image', image: { id: '1' } })] })],
      ['components.0.cards.1.components', 'parameter_missing', 'The body takes 1 parameter and got 0: {{1}} is missing'],
    ],
    [
      'an offer without its end',
      [plain, { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } }],
      [],
      ['components', 'parameter_missing', 'The offer needs limited_time_offer.expiration_time_ms'],
    ],
  ];
  test.each(cases)('%s', (_what, components, given, ...faults) => {
    expect(found(components, given)).toEqual(faults);
  });
});

test('a 422 names the first in its message, counts the others, and lists all', () => {
  const check = () => assertParameters({ category: '', components: two }, undefined, ['template', 'components']);
  expect(check).toThrow(AppError);
  try {
    check();
  } catch (error) {
    const { code, message, details } = error as AppError;
    expect([code, message, details?.length]).toEqual([
      'invalid_request',
      'The body takes 2 parameters and got 0: {{1}} is missing (and 1 more)',
      2,
    ]);
    expect(details?.[0]?.field).toBe('template.components');
  }
});

test('property: whatever a template and a message are, the check ends without a fault of its own, and so does a preview of what passes', () => {
  const value = fc.jsonValue({ maxDepth: 5 });
  const component = fc.record(
    {
      type: fc.constantFrom('HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'body', 'header', 'button', 'carousel', 7),
      format: fc.constantFrom('TEXT', 'IMAGE', 'LOCATION', null),
      text: fc.oneof(fc.constantFrom('{{1}}', '{{a}} {{1}}', '{{ 2 }}'), value),
      buttons: fc.oneof(
        fc.array(fc.record({ type: fc.constantFrom('URL', 'FLOW', 'MPM', ''), url: fc.constant('{{1}}') })),
        value,
      ),
      parameters: fc.oneof(
        fc.array(fc.record({ type: fc.constantFrom('text', 'image', 'action'), text: value, action: value })),
        value,
      ),
      index: fc.oneof(fc.nat(2), value),
      sub_type: fc.constantFrom('url', 'flow', 'mpm'),
      cards: value,
    },
    { requiredKeys: ['type'] },
  );
  const several = fc.array(fc.oneof(component, value), { maxLength: 4 });
  fc.assert(
    fc.property(several, fc.oneof(several, value), (components, given) => {
      const template = { category: 'utility', components };
      try {
        assertParameters(template, given, []);
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        return;
      }
      previewOf(template, given);
    }),
    { numRuns: 500 },
  );
});
