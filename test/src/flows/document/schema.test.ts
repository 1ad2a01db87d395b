import { describe, expect, test } from '@jest/globals';
import { builderSchema } from '../../../../src/flows/document/builder.ts';
import { fieldOf } from '../../../../src/platform/errors.ts';
import { unboundedIn } from '../../../support/unbounded.ts';

// biome-ignore lint/suspicious/noExplicitAny: each case breaks it in another way
type Json = Record<string, any>;

const good = (): Json => ({
  mode: 'visual',
  flow: {
    id: '',
    name: 'Booking',
    screens: [
      {
        id: 'FIRST',
        title: 'Your name',
        components: [
          { id: 'constructor', type: 'text_input', label: 'Name', required: true },
          { id: 'size', type: 'radio', label: 'Size', options: [{ id: 'constructor', label: 'Small' }] },
          { id: 'note', type: 'body', text: 'Thank you' },
        ],
        actions: [{ label: 'Send', type: 'complete' }],
      },
    ],
  },
});

const screen = (builder: Json): Json => builder.flow.screens[0];
const input = (builder: Json): Json => screen(builder).components[0];

/** Where the fault is, and what kind of fault. */
function faultOf(change: (builder: Json) => void): string | undefined {
  const builder = good();
  change(builder);
  const { error } = builderSchema.validate(builder, { abortEarly: false });
  return error?.details.map(({ path, type }) => `${fieldOf(path)} ${type}`).join(', ');
}

test('what can be built is taken, ids such as constructor among them', () => {
  expect(faultOf(() => undefined)).toBeUndefined();
  expect(faultOf((it) => Object.assign(screen(it), { components: null, actions: null }))).toBeUndefined();
  expect(faultOf((it) => Object.assign(it, { mode: 'json', flow: { id: '', name: '', screens: null } }))).toBeUndefined();
});

describe('a fault is told at its path', () => {
  const cases: [string, (builder: Json) => void, string][] = [
    ['no mode', (it) => delete it.mode, 'mode any.required'],
    ['another mode', (it) => Object.assign(it, { mode: 'code' }), 'mode any.only'],
    ['no flow', (it) => delete it.flow, 'flow any.required'],
    ['no id of the flow', (it) => delete it.flow.id, 'flow.id any.required'],
    ['no name of the flow', (it) => delete it.flow.name, 'flow.name any.required'],
    ['no screens', (it) => delete it.flow.screens, 'flow.screens any.required'],
    ['screens in mode json', (it) => Object.assign(it, { mode: 'json' }), 'flow.screens any.only'],
    ['a screen without id', (it) => delete screen(it).id, 'flow.screens[0].id any.required'],
    ['a screen without title', (it) => delete screen(it).title, 'flow.screens[0].title any.required'],
    ['a screen without components', (it) => delete screen(it).components, 'flow.screens[0].components any.required'],
    ['a screen without actions', (it) => delete screen(it).actions, 'flow.screens[0].actions any.required'],
    ['a screen id with digits', (it) => Object.assign(screen(it), { id: 'A1' }), 'flow.screens[0].id string.pattern.name'],
    ['__proto__ as screen id', (it) => Object.assign(screen(it), { id: '__proto__' }), 'flow.screens[0].id string.pattern.name'],
    ['a component without id', (it) => delete input(it).id, 'flow.screens[0].components[0].id any.required'],
    ['a component without type', (it) => delete input(it).type, 'flow.screens[0].components[0].type any.required'],
    ['another type', (it) => Object.assign(input(it), { type: 'slider' }), 'flow.screens[0].components[0].type any.only'],
    ['toString as type', (it) => Object.assign(input(it), { type: 'toString' }), 'flow.screens[0].components[0].type any.only'],
    [
      '__proto__ as component id',
      (it) => Object.assign(input(it), { id: '__proto__' }),
      'flow.screens[0].components[0].id string.pattern.name',
    ],
    [
      'required as text',
      (it) => Object.assign(input(it), { required: 'yes' }),
      'flow.screens[0].components[0].required boolean.base',
    ],
    [
      'an option without label',
      (it) => Object.assign(screen(it).components[1], { options: [{ id: 'a' }] }),
      'flow.screens[0].components[1].options[0].label any.required',
    ],
    [
      'an option without id',
      (it) => Object.assign(screen(it).components[1], { options: [{ label: 'a' }] }),
      'flow.screens[0].components[1].options[0].id any.required',
    ],
    [
      '__proto__ as option id',
      (it) => Object.assign(screen(it).components[1], { options: [{ id: '__proto__', label: 'a' }] }),
      'flow.screens[0].components[1].options[0].id any.invalid',
    ],
    ['an action without label', (it) => delete screen(it).actions[0].label, 'flow.screens[0].actions[0].label any.required'],
    ['an action without type', (it) => delete screen(it).actions[0].type, 'flow.screens[0].actions[0].type any.required'],
    ['an unknown property', (it) => Object.assign(it, { version: 1 }), 'version object.unknown'],
    [
      'an unknown property deep',
      (it) => Object.assign(input(it), { url: 'x' }),
      'flow.screens[0].components[0].url object.unknown',
    ],
    ['NUL', (it) => Object.assign(input(it), { label: 'a\0b' }), 'flow.screens[0].components[0].label string.nul'],
    ['half a pair', (it) => Object.assign(screen(it), { title: 'a\ud83d' }), 'flow.screens[0].title string.unicode'],
    ['NUL in the name', (it) => Object.assign(it.flow, { name: '\0' }), 'flow.name string.nul'],
    [
      'NUL in an option id',
      (it) => Object.assign(screen(it).components[1], { options: [{ id: '\0', label: 'a' }] }),
      'flow.screens[0].components[1].options[0].id string.nul',
    ],
    ['an object as title', (it) => Object.assign(screen(it), { title: {} }), 'flow.screens[0].title string.base'],
  ];

  test.each(cases)('%s', (_name, change, expected) => {
    expect(faultOf(change)).toBe(expected);
  });
});

test('what is too much for the provider is saved, so that a draft keeps its faults', () => {
  expect(faultOf((it) => Object.assign(input(it), { label: 'x'.repeat(21) }))).toBeUndefined();
  expect(faultOf((it) => Object.assign(screen(it), { id: 'SUCCESS' }))).toBeUndefined();
  const options = Array.from({ length: 201 }, (_, index) => ({ id: `${index}`, label: 'x' }));
  expect(faultOf((it) => Object.assign(screen(it).components[1], { options }))).toBeUndefined();
  const components = Array.from({ length: 51 }, (_, index) => ({ id: `c${index}`, type: 'body', text: 'x' }));
  expect(faultOf((it) => Object.assign(screen(it), { components }))).toBeUndefined();
});

test('all that is stored has a maximum', () => {
  expect(unboundedIn(builderSchema)).toEqual([]);
});

test('10,000 levels are refused at once, wherever they are', () => {
  const deep = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
  expect(faultOf((it) => Object.assign(it.flow, { screens: deep }))).toBe('flow.screens[0] object.base');
  expect(faultOf((it) => Object.assign(input(it), { label: deep }))).toBe('flow.screens[0].components[0].label string.base');
});

test('a screen tells the first fault of each of its lists: thousands of empty components are no thousands of faults', () => {
  const builder = good();
  const screens = Array.from({ length: 40 }, () => ({ components: Array(200).fill({}), actions: Array(10).fill({}) }));
  builder.flow.screens = screens;
  const { error } = builderSchema.validate(builder, { abortEarly: false });
  const perScreen = ['id', 'title', 'actions[0].label', 'components[0].id'];
  expect(error!.details.slice(0, 4).map(({ path }) => fieldOf(path.slice(3)))).toEqual(perScreen);
  expect(error!.details).toHaveLength(40 * perScreen.length);
});
