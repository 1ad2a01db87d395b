import { describe, expect, test } from '@jest/globals';
import type { BuilderJson } from '../../../../src/flows/document/builder.ts';
import { checkFlow } from '../../../../src/flows/document/check.ts';
import { compileFlow } from '../../../../src/flows/document/compile.ts';
import { limits } from '../../../../src/flows/document/limits.ts';

// biome-ignore lint/suspicious/noExplicitAny: each case breaks it in another way
type Json = Record<string, any>;

const text = (id: string) => ({ id, type: 'body', text: 'Hello' });
const booking = (): Json => ({
  mode: 'visual',
  flow: {
    id: '',
    name: '',
    screens: [
      {
        id: 'FIRST',
        title: 'Your name',
        components: [
          { id: 'name', type: 'text_input', label: 'Name', helper_text: 'As in your passport' },
          { id: 'terms', type: 'link', text: 'Terms' },
        ],
        actions: [
          { label: 'Terms', type: 'open_url', target: 'terms', url: 'https://example.com' },
          { label: 'Next', type: 'navigate', target: 'SECOND' },
        ],
      },
      {
        id: 'SECOND',
        title: 'Your wish',
        components: [{ id: 'wish', type: 'dropdown', label: 'Wish', options: [{ id: 'a', label: 'An hour' }] }],
        actions: [{ label: 'Send', type: 'complete' }],
      },
    ],
  },
});

const [first, second] = [(it: Json): Json => it.flow.screens[0], (it: Json): Json => it.flow.screens[1]];
const at = 'builder_json.flow.screens';

function faultsOf(change: (builder: Json) => void, jsonVersion = '7.2'): string[] {
  const builder = booking() as BuilderJson;
  change(builder);
  const flowJson = compileFlow(builder, jsonVersion);
  return checkFlow({ builder, flowJson, jsonVersion, dataApiVersion: '' }).map(
    ({ severity, error, path, source }) => `${source} ${severity} ${error} ${path}`,
  );
}

test('a flow that works has no faults', () => {
  expect(faultsOf(() => undefined)).toEqual([]);
});

describe('each fault of the builder is told at its path', () => {
  const error = (name: string, path: string) => `kanal error ${name} ${path}`;
  const warning = (name: string, path: string) => `kanal warning ${name} ${path}`;
  const cases: [string, (builder: Json) => void, string][] = [
    ['no screens', (it) => Object.assign(it.flow, { screens: null }), error('MIN_ITEMS_REQUIRED', `${at}`)],
    [
      'two screens of one id',
      (it) => it.flow.screens.push({ ...second(it), components: [text('more')] }),
      error('DUPLICATE_SCREEN_IDS', `${at}[2].id`),
    ],
    [
      'two components of one id on two screens',
      (it) => second(it).components.push({ id: 'name', type: 'email', label: 'Mail' }),
      error('DUPLICATE_FORM_COMPONENT_NAMES', `${at}[1].components[1].id`),
    ],
    [
      'a target that is nowhere',
      (it) => Object.assign(first(it).actions[1], { target: 'THIRD' }),
      error('INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME', `${at}[0].actions[1].target`),
    ],
    [
      'a target that is missing',
      (it) => delete first(it).actions[1].target,
      error('INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME', `${at}[0].actions[1].target`),
    ],
    [
      'a screen that leads to itself',
      (it) => Object.assign(first(it).actions[1], { target: 'FIRST' }),
      error('INVALID_NAVIGATE_ACTION_NEXT_SCREEN_NAME', `${at}[0].actions[1].target`),
    ],
    [
      'a screen nobody reaches',
      (it) =>
        it.flow.screens.push({
          id: 'THIRD',
          title: 'T',
          components: [text('t')],
          actions: [{ label: 'Send', type: 'complete' }],
        }),
      error('INVALID_ROUTING_MODEL', `${at}[2].id`),
    ],
    [
      'a way that never completes',
      (it) => Object.assign(second(it), { actions: null }),
      error('INVALID_ROUTING_MODEL', `${at}[1].id`),
    ],
    [
      'a way back',
      (it) => Object.assign(second(it), { actions: [{ label: 'Back', type: 'navigate', target: 'FIRST' }] }),
      error('INVALID_ROUTING_MODEL', `${at}[0].id`),
    ],
    [
      'SUCCESS as id',
      (it) => {
        second(it).id = 'SUCCESS';
        first(it).actions[1].target = 'SUCCESS';
      },
      error('SCREEN_ID_IS_RESERVED_KEYWORD', `${at}[1].id`),
    ],
    [
      'two ways on',
      (it) => second(it).actions.push({ label: 'Also', type: 'complete' }),
      error('MAX_FOOTER_PER_SCREEN', `${at}[1]`),
    ],
    ['an empty title', (it) => Object.assign(first(it), { title: ' ' }), error('MIN_CHARS_REQUIRED', `${at}[0].title`)],
    ['a title of 61', (it) => Object.assign(first(it), { title: 'x'.repeat(61) }), error('MAX_CHARS_EXCEEDED', `${at}[0].title`)],
    [
      'a label of 21',
      (it) => Object.assign(first(it).components[0], { label: 'x'.repeat(21) }),
      error('MAX_CHARS_EXCEEDED', `${at}[0].components[0].label`),
    ],
    [
      'a helper text of 81',
      (it) => Object.assign(first(it).components[0], { helper_text: 'x'.repeat(81) }),
      error('MAX_CHARS_EXCEEDED', `${at}[0].components[0].helper_text`),
    ],
    [
      'a button of 36',
      (it) => Object.assign(second(it).actions[0], { label: 'x'.repeat(36) }),
      error('MAX_CHARS_EXCEEDED', `${at}[1].actions[0].label`),
    ],
    [
      'an option of 31',
      (it) => Object.assign(second(it).components[0].options[0], { label: 'x'.repeat(31) }),
      error('MAX_CHARS_EXCEEDED', `${at}[1].components[0].options[0].label`),
    ],
    [
      'no options',
      (it) => delete second(it).components[0].options,
      error('MIN_ITEMS_REQUIRED', `${at}[1].components[0].options`),
    ],
    [
      '201 options',
      (it) =>
        Object.assign(second(it).components[0], {
          options: Array.from({ length: 201 }, (_, index) => ({ id: `${index}`, label: 'x' })),
        }),
      error('MAX_ITEMS_EXCEEDED', `${at}[1].components[0].options`),
    ],
    [
      'two options of one id',
      (it) => second(it).components[0].options.push({ id: 'a', label: 'Another' }),
      error('INVALID_PROPERTY_VALUE', `${at}[1].components[0].options[1].id`),
    ],
    [
      '51 components',
      (it) => Object.assign(second(it), { components: Array.from({ length: 51 }, (_, index) => text(`t${index}`)) }),
      error('MAX_ALLOWED_COMPONENTS_PER_SCREEN', `${at}[1].components`),
    ],
    [
      'flow_token as id',
      (it) => Object.assign(first(it).components[0], { id: 'flow_token' }),
      error('INVALID_PROPERTY_VALUE', `${at}[0].components[0].id`),
    ],
    [
      'a text that is missing',
      (it) => second(it).components.push({ id: 'hint', type: 'caption' }),
      error('MIN_CHARS_REQUIRED', `${at}[1].components[1].text`),
    ],
    [
      'a link without an address',
      (it) => first(it).actions.shift(),
      error('MISSING_REQUIRED_PROPERTY', `${at}[0].components[1].on-click-action`),
    ],
    [
      'an address that is none',
      (it) => Object.assign(first(it).actions[0], { url: 'example.com' }),
      error('INVALID_PROPERTY_VALUE_FORMAT', `${at}[0].actions[0].url`),
    ],
    [
      'an address without encryption',
      (it) => Object.assign(first(it).actions[0], { url: 'http://example.com' }),
      error('INVALID_PROPERTY_VALUE_FORMAT', `${at}[0].actions[0].url`),
    ],
    [
      'a placeholder beside a helper text',
      (it) => Object.assign(first(it).components[0], { placeholder: 'Ada' }),
      warning('INVALID_PROPERTY_KEY', `${at}[0].components[0].placeholder`),
    ],
    [
      'a helper text where none is shown',
      (it) => Object.assign(second(it).components[0], { helper_text: 'Any' }),
      warning('INVALID_PROPERTY_KEY', `${at}[1].components[0].helper_text`),
    ],
    [
      'a reference to nothing',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form
      (it) => Object.assign(first(it).components[0], { label: '${data.name}' }),
      error('INVALID_SCREEN_DYNAMIC_DATA', `${at}[0].components[0].label`),
    ],
  ];

  test.each(cases)('%s', (_name, change, expected) => {
    expect(faultsOf(change)).toContain(expected);
  });

  test('a version that the provider has no more, or not yet', () => {
    for (const version of ['2.1', '99.0', ''])
      expect(faultsOf(() => undefined, version)).toContain(error('UNSUPPORTED_FLOW_JSON_VERSION', 'json_version'));
  });

  test('a link needs version 6.0', () => {
    expect(faultsOf(() => undefined, '5.1')).toEqual([error('INVALID_PROPERTY_VALUE', `${at}[0].actions[0].type`)]);
  });
});

describe('texts are counted in Unicode characters', () => {
  const labelled = (label: string) => faultsOf((it) => Object.assign(first(it).components[0], { label }));
  const where = `MAX_CHARS_EXCEEDED ${at}[0].components[0].label`;

  test('an emoji is one, and may be too many if it counts as two', () => {
    expect(labelled('😀'.repeat(10))).toEqual([]);
    expect(labelled('😀'.repeat(20))).toEqual([`kanal warning ${where}`]);
    expect(labelled('😀'.repeat(21))).toEqual([`kanal error ${where}`]);
  });

  test('an emoji of several characters is several', () => {
    expect(labelled('👍🏽'.repeat(10))).toEqual([`kanal warning ${where}`]);
    expect(labelled(`${'👍🏽'.repeat(10)}x`)).toEqual([`kanal error ${where}`]);
  });

  test('a letter of any script is one; a mark of direction counts too', () => {
    for (const letter of ['ש', 'ل', '你', 'é']) {
      expect(labelled(letter.repeat(20))).toEqual([]);
      expect(labelled(letter.repeat(21))).toEqual([`kanal error ${where}`]);
    }
    expect(labelled(`\u200f${'ש'.repeat(19)}`)).toEqual([]);
    expect(labelled(`\u200f${'ש'.repeat(20)}`)).toEqual([`kanal error ${where}`]);
  });
});

describe('a document of any origin', () => {
  const document = (change: (flowJson: Json) => void = () => undefined): Json => {
    const flowJson = compileFlow(booking() as BuilderJson, '7.2');
    change(flowJson);
    return flowJson;
  };
  const errorsOf = (flowJson: unknown) =>
    checkFlow({ flowJson, jsonVersion: '7.2', dataApiVersion: '' }).map(({ error, path }) => `${error} ${path}`);
  const children = (flowJson: Json, screen: number): Json[] => flowJson.screens[screen].layout.children;

  test('anything but an object is refused, and nothing throws', () => {
    for (const value of [null, 7, 'flow', [], [[]]]) expect(errorsOf(value)).toEqual(['INVALID_FLOW_JSON flow_json']);
    expect(errorsOf({})).toEqual(['MISSING_FLOW_JSON_VERSION flow_json.version', 'MIN_ITEMS_REQUIRED flow_json.screens']);
    for (const screens of [
      [null],
      [[]],
      [{ layout: { children: [null, 7, { type: 'Footer' }] } }],
      [{ layout: { children: 7 } }],
    ])
      expect(errorsOf({ version: '7.2', screens }).length).toBeGreaterThan(0);
  });

  test('data_exchange and data_api_version belong together', () => {
    const alone = document((it) => Object.assign(children(it, 1)[1]!['on-click-action'], { name: 'data_exchange' }));
    expect(errorsOf(alone)).toContain('MISSING_REQUIRED_PROPERTY flow_json.screens[1].layout.children[1].on-click-action.name');
    const none = document((it) =>
      Object.assign(it, { data_api_version: '3.0', routing_model: { FIRST: ['SECOND'], SECOND: [] } }),
    );
    expect(errorsOf(none)).toContain('INVALID_PROPERTY_VALUE flow_json.data_api_version');
    const old = document((it) => Object.assign(it, { data_api_version: '2.0' }));
    expect(errorsOf(old)).toContain('NO_SUPPORTED_DATA_API_VERSION flow_json.data_api_version');
    expect(errorsOf(old)).toContain('MISSING_REQUIRED_PROPERTY flow_json.routing_model');
  });

  test('a payload has what the next screen declares', () => {
    const missing = document((it) => Object.assign(it.screens[1], { data: { name: { type: 'string', __example__: 'Ada' } } }));
    expect(errorsOf(missing)).toEqual([
      'INVALID_NAVIGATE_ACTION_PAYLOAD flow_json.screens[0].layout.children[2].on-click-action.payload',
    ]);
    const given = structuredClone(missing);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form
    children(given, 0)[2]!['on-click-action'].payload = { name: '${form.name}' };
    expect(errorsOf(given)).toEqual([]);
  });

  test('inputs within a form are found, and other types of components are left to the provider', () => {
    const inForm = document((it) => {
      const own = children(it, 0);
      it.screens[0].layout.children = [
        { type: 'Form', name: 'form', children: own },
        { type: 'HologramPicker', size: 3 },
      ];
    });
    expect(errorsOf(inForm)).toEqual([]);
  });

  test('a property that we do not know is a warning', () => {
    const faults = checkFlow({
      flowJson: document((it) => Object.assign(children(it, 0)[0]!, { 'initial-text': 'x' })),
      jsonVersion: '7.2',
      dataApiVersion: '',
    });
    expect(faults.map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'warning flow_json.screens[0].layout.children[0].initial-text',
    ]);
  });

  test('more than ten branches, a missing route and a way back in a routing model', () => {
    const routed = (model: Json) => errorsOf({ ...document(), data_api_version: '3.0', routing_model: model });
    expect(routed({ FIRST: [], SECOND: [] })).toContain('INVALID_ROUTING_MODEL flow_json.routing_model.FIRST');
    expect(routed({ FIRST: ['SECOND'], SECOND: ['FIRST'] })).toContain('INVALID_ROUTING_MODEL flow_json.routing_model.SECOND');
    expect(routed({ FIRST: ['SECOND'] })).toContain('INVALID_ROUTING_MODEL flow_json.routing_model.SECOND');
    expect(routed({ FIRST: ['SECOND', 'NOWHERE'], SECOND: [] })).toContain('INVALID_ROUTING_MODEL flow_json.routing_model.FIRST');
  });

  test('the list of faults is bounded, and has the errors first', () => {
    const flowJson = document((it) => {
      const faulty = Array.from({ length: 90 }, () => ({ type: 'TextInput', label: '', nothing: 1 }));
      it.screens = Array.from({ length: 90 }, (_, index) => ({
        ...it.screens[1],
        id: `A${'B'.repeat(index)}`,
        layout: { children: faulty },
      }));
    });
    const faults = checkFlow({ flowJson, jsonVersion: '7.2', dataApiVersion: '' });
    expect(faults).toHaveLength(201);
    expect(faults.at(-1)!.error).toBe('MORE_FAULTS');
    expect(faults[0]!.severity).toBe('error');
  });
});

test('every limit has a page of the provider, or says that it has none', () => {
  for (const [name, { max, min, source, isConfirmed }] of Object.entries(limits)) {
    expect([name, max > min]).toEqual([name, true]);
    expect([name, isConfirmed]).toEqual([name, source !== 'third parties']);
  }
  expect(
    Object.entries(limits)
      .filter(([, { isConfirmed }]) => !isConfirmed)
      .map(([name]) => name),
  ).toEqual(['screenTitle']);
});
