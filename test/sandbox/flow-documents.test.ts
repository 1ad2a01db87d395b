import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../../sandbox/flows/document.ts';
import { readPlacedJson } from '../../sandbox/flows/json-places.ts';
import { bound, endpointFlow, goodFlow, navigate } from '../support/flows.ts';

// biome-ignore lint/suspicious/noExplicitAny: documents are bent in every way
type Document = any;
const faultsOf = (document: unknown) => readDocument(JSON.stringify(document)).validationErrors;
function bent(bend: (document: Document) => void, document: Document = goodFlow()) {
  const copy = structuredClone(document);
  bend(copy);
  return faultsOf(copy).map(({ error, pointers }) => `${error} ${pointers?.[0]?.path ?? ''}`.trim());
}
const x = (count: number) => 'x'.repeat(count);
const child = (document: Document, screen: number, index: number) => document.screens[screen].layout.children[index];
const add = (component: object) => (document: Document) => document.screens[0].layout.children.unshift(component);
const options = (count: number, title = 'One') => Array.from({ length: count }, (_, index) => ({ id: String(index), title }));

test('what the provider takes has no faults', () => {
  expect([faultsOf(goodFlow()), faultsOf(endpointFlow())]).toEqual([[], []]);
});

describe('texts, as long as the provider allows, and one more', () => {
  test.each<[string, (text: string) => object, number]>([
    ['TextHeading', (text) => ({ type: 'TextHeading', text }), 80],
    ['TextSubheading', (text) => ({ type: 'TextSubheading', text }), 80],
    ['TextBody', (text) => ({ type: 'TextBody', text }), 4_096],
    ['TextCaption', (text) => ({ type: 'TextCaption', text }), 409],
    ['label of TextInput', (label) => ({ type: 'TextInput', name: 'a', label }), 20],
    ['helper-text', (text) => ({ type: 'TextInput', name: 'a', label: 'a', 'helper-text': text }), 80],
    ['label of TextArea', (label) => ({ type: 'TextArea', name: 'a', label }), 20],
    ['label of DatePicker', (label) => ({ type: 'DatePicker', name: 'a', label }), 40],
    ['label of OptIn', (label) => ({ type: 'OptIn', name: 'a', label }), 120],
    ['title of an option', (title) => ({ type: 'Dropdown', name: 'a', label: 'a', 'data-source': options(1, title) }), 30],
    ['EmbeddedLink', (text) => ({ type: 'EmbeddedLink', text, 'on-click-action': { name: 'open_url', url: 'https://a.b' } }), 25],
  ])('%s', (what, component, max) => {
    expect(bent(add(component(x(max))))).toEqual([]);
    expect(bent(add(component('👍'.repeat(max))))).toEqual([]);
    expect(bent(add(component(x(max + 1))))).toEqual([expect.stringMatching(/^INVALID_PROPERTY_VALUE screens\[0\]/)]);
    // Only what helps may be empty.
    expect(bent(add(component('')))).toHaveLength(what === 'helper-text' ? 0 : 1);
  });

  test('what the phone fills in is counted by nobody', () => {
    expect(bent((document) => Object.assign(child(document, 1, 0), { text: x(4_096) + bound('data', 'words') }))).toEqual([]);
  });
});

describe('counts', () => {
  const chosen = (type: string, count: number) => add({ type, name: 'a', label: 'a', 'data-source': options(count) });
  const many = (count: number, component: object) => (document: Document) => {
    for (let made = 0; made < count; made += 1) add(component)(document);
  };
  test.each<[string, (document: Document) => void, number]>([
    ['200 options of a Dropdown', chosen('Dropdown', 200), 0],
    ['201 options of a Dropdown', chosen('Dropdown', 201), 1],
    ['20 options of a RadioButtonsGroup', chosen('RadioButtonsGroup', 20), 0],
    ['21 options of a CheckboxGroup', chosen('CheckboxGroup', 21), 1],
    ['no option', chosen('Dropdown', 0), 1],
    ['50 components', many(47, { type: 'TextBody', text: 'x' }), 0],
    ['51 components', many(48, { type: 'TextBody', text: 'x' }), 1],
    ['two footers', add(child(goodFlow(), 0, 2)), 1],
  ])('%s', (_what, bend, faults) => {
    expect(bent(bend)).toHaveLength(faults);
  });
});

describe('one fault each, at its place', () => {
  const footer = (document: Document, screen = 0) => child(document, screen, screen === 0 ? 2 : 1)['on-click-action'];
  test.each<[string, (document: Document) => void, string]>([
    ['a property nobody knows', (d) => Object.assign(d, { colour: 1 }), 'INVALID_PROPERTY colour'],
    ['one of the prototype', (d) => Object.assign(d.screens[0], { constructor: 1 }), 'INVALID_PROPERTY screens[0].constructor'],
    ['a layout of no type', (d) => delete d.screens[1].layout.type, 'REQUIRED_PROPERTY_MISSING screens[1].layout'],
    ['a component of no kind', add({ type: 'Video' }), 'INVALID_PROPERTY_VALUE screens[0].layout.children[0].type'],
    ['a component of the prototype', add({ type: 'constructor' }), 'INVALID_PROPERTY_VALUE screens[0].layout.children[0].type'],
    [
      'a name twice',
      add({ type: 'TextInput', name: 'words', label: 'a' }),
      'DUPLICATE_FORM_COMPONENT_NAMES screens[0].layout.children[2].name',
    ],
    [
      'SUCCESS as a screen',
      (d) => Object.assign(d, JSON.parse(JSON.stringify(d).replaceAll('THANKS', 'SUCCESS'))),
      'INVALID_PROPERTY_VALUE screens[1].id',
    ],
    [
      'a payload that lacks an answer',
      (d) => delete footer(d).payload.words,
      'MISSING_PAYLOAD_FIELDS screens[0].layout.children[2].on-click-action',
    ],
    [
      'an answer that is nowhere',
      (d) => Object.assign(footer(d).payload, { words: bound('form', 'nothing') }),
      'INVALID_DATA_BINDING screens[0].layout.children[2].on-click-action.payload.words',
    ],
    [
      'data that is not declared',
      add({ type: 'TextBody', text: bound('data', 'nothing') }),
      'INVALID_DATA_BINDING screens[0].layout.children[0].text',
    ],
    [
      'data without an example',
      (d) => delete d.screens[1].data.words.__example__,
      'REQUIRED_PROPERTY_MISSING screens[1].data.words',
    ],
    [
      'a data_exchange without an endpoint',
      add({ type: 'EmbeddedLink', text: 'a', 'on-click-action': { name: 'data_exchange' } }),
      'INVALID_DATA_EXCHANGE screens[0].layout.children[0].on-click-action',
    ],
    [
      'an address that is none',
      add({ type: 'EmbeddedLink', text: 'a', 'on-click-action': { name: 'open_url', url: 'x' } }),
      'INVALID_PROPERTY_VALUE screens[0].layout.children[0].on-click-action',
    ],
    ['a terminal screen without a footer', (d) => d.screens[1].layout.children.pop(), 'MISSING_FOOTER screens[1]'],
    ['two screens of one id', (d) => d.screens.push(structuredClone(d.screens[1])), 'DUPLICATE_SCREEN_IDS screens[2].id'],
  ])('%s', (_what, bend, fault) => {
    expect(bent(bend)).toEqual([fault]);
  });

  test.each<[string, (document: Document) => void, RegExp]>([
    ['no screens', (d) => Object.assign(d, { screens: [] }), /^INVALID_PROPERTY_VALUE screens$/],
    ['a target that is nowhere', (d) => Object.assign(footer(d).next, { name: 'NOWHERE' }), /INVALID_SCREEN_TRANSITION/],
    ['a way back', (d) => Object.assign(footer(d, 1), navigate('ASK')), /INVALID_ROUTING_MODEL/],
    ['a way that never completes', (d) => delete d.screens[1].terminal, /MISSING_TERMINAL_SCREEN/],
    [
      'a screen nobody reaches',
      (d) => d.screens.push({ ...structuredClone(d.screens[1]), id: 'ALONE' }),
      /INVALID_ROUTING_MODEL/,
    ],
  ])('%s', (_what, bend, fault) => {
    expect(bent(bend).join('\n')).toMatch(fault);
  });

  test.each<[string, (document: Document) => void]>([
    ['no routes', (d) => delete d.routing_model],
    ['a route that is missing', (d) => Object.assign(d.routing_model, { ASK: [] })],
    ['a route to nowhere', (d) => d.routing_model.ASK.push('NOWHERE')],
  ])('a flow with an endpoint: %s', (_what, bend) => {
    expect(bent(bend, endpointFlow()).length).toBeGreaterThan(0);
  });

  test('at most ten branches', () => {
    const branching = (count: number) => (document: Document) => {
      const [, last] = document.screens;
      for (let made = 0; made < count; made += 1) {
        const id = `S${'ABCDEFGHIJKLMN'[made]}`;
        document.screens.push({ ...structuredClone(last), id });
        const choose = { ...navigate(id), payload: { words: 'x' } };
        add({ type: 'Dropdown', name: `d${made}`, label: 'a', 'data-source': options(1), 'on-select-action': choose })(document);
      }
    };
    expect([bent(branching(9)), bent(branching(10))]).toEqual([[], ['INVALID_ROUTING_MODEL screens[0]']]);
  });
});

describe('places in the text', () => {
  test('of values and names, over several lines', () => {
    const json = readPlacedJson('{\n  "a": [1, "two",\n    {"b": null}]\n}');
    expect(json.value).toEqual({ a: [1, 'two', { b: null }] });
    expect(json.placeOf('a[1]')).toEqual({ line_start: 2, line_end: 2, column_start: 12, column_end: 16 });
    expect(json.placeOf('a[2].b', 'name')).toEqual({ line_start: 3, line_end: 3, column_start: 6, column_end: 8 });
    expect(json.placeOf('a')).toEqual({ line_start: 2, line_end: 3, column_start: 8, column_end: 16 });
    expect(json.placeOf('nowhere')).toBeUndefined();
  });

  test.each(['', '{', '{"a":}', '[1,]', '{"a" 1}', '"open', '1 2', 'nul', `${'['.repeat(300)}`, '{"a":"\\q"}'])(
    '%j is no JSON',
    (text) => {
      expect(() => readPlacedJson(text)).toThrow(SyntaxError);
    },
  );

  test('reads what JSON.parse reads', () => {
    const text = JSON.stringify({ text: 'a"\\ é👍', number: -1.5e-7, list: [true, false, null, []], inside: {} });
    expect(readPlacedJson(text).value).toEqual(JSON.parse(text));
  });
});
