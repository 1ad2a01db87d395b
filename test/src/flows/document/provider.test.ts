import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../../../../sandbox/flows/document.ts';
import { canonicalJson } from '../../../../src/flows/document/canonical.ts';
import { checkFlow } from '../../../../src/flows/document/check.ts';
import { compileFlow } from '../../../../src/flows/document/compile.ts';
import { hashOfDocument } from '../../../../src/flows/document/hash.ts';
import { labelsOf } from '../../../../src/flows/document/labels.ts';
import { limits } from '../../../../src/flows/document/limits.ts';
import { readFlow } from '../../../../src/flows/document/read.ts';
import { fc } from '../../../support/fast-check.ts';
import { builders, fullBuilder } from '../../../support/flow-documents.ts';

// biome-ignore lint/suspicious/noExplicitAny: each mutation changes it in another place
type Json = Record<string, any>;
const version = '7.2';

/** Our validator about a document, whoever made it. */
const ourErrors = (flowJson: Json): string[] =>
  checkFlow({ flowJson, jsonVersion: version, dataApiVersion: flowJson.data_api_version ?? '' })
    .filter(({ severity }) => severity === 'error')
    .map(({ error, path }) => `${error} ${path}`);

/** The sandbox's, which was written from the provider's rules. It throws where the provider does not even keep the document. */
function providerErrors(flowJson: Json): string[] {
  try {
    return readDocument(JSON.stringify(flowJson)).validationErrors.map(({ error, message }) => `${error} ${message}`);
  } catch (error) {
    return [String(error)];
  }
}

test('what our validator passes, the provider accepts', () => {
  fc.assert(
    fc.property(builders, (builder) => {
      const flowJson = compileFlow(builder, version);
      expect(
        checkFlow({ builder, flowJson, jsonVersion: version, dataApiVersion: '' }).filter(({ severity }) => severity === 'error'),
      ).toEqual([]);
      expect(providerErrors(flowJson)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

type Mutation = { name: string; change: (flowJson: Json, pick: <T>(of: T[]) => T | undefined) => void };

const childrenOf = (flowJson: Json): Json[] => flowJson.screens.flatMap((screen: Json) => screen.layout.children);
const having = (flowJson: Json, property: string): Json[] =>
  childrenOf(flowJson).filter((child) => child[property] !== undefined);
const optionsOf = (flowJson: Json): Json[] => having(flowJson, 'data-source').flatMap((child) => child['data-source']);
const actionsOf = (flowJson: Json): Json[] => having(flowJson, 'on-click-action').map((child) => child['on-click-action']);
const named = (flowJson: Json, name: string) => actionsOf(flowJson).filter((action) => action.name === name);
const set = (part: Json | undefined, change: Json) => void (part && Object.assign(part, change));
const remove = (part: Json | undefined, property: string) => void (part && delete part[property]);

/** One fault each; what has no place in a document leaves it as it is. */
const mutations: Mutation[] = [
  ...['text', 'label', 'name', 'data-source', 'on-click-action', 'type'].map(
    (property): Mutation => ({
      name: `without ${property}`,
      change: (it, pick) => remove(pick(having(it, property)), property),
    }),
  ),
  ...(['id', 'layout', 'title'] as const).map(
    (property): Mutation => ({
      name: `a screen without ${property}`,
      change: (it, pick) => remove(pick(it.screens as Json[]), property),
    }),
  ),
  ...(
    [
      ['TextHeading', 'text', limits.headingText.max],
      ['TextSubheading', 'text', limits.subheadingText.max],
      ['TextBody', 'text', limits.bodyText.max],
      ['TextCaption', 'text', limits.captionText.max],
      ['EmbeddedLink', 'text', limits.linkText.max],
      ['TextInput', 'label', limits.inputLabel.max],
      ['TextInput', 'helper-text', limits.helperText.max],
      ['TextArea', 'label', limits.areaLabel.max],
      ['TextArea', 'helper-text', limits.helperText.max],
      ['DatePicker', 'label', limits.dateLabel.max],
      ['DatePicker', 'helper-text', limits.helperText.max],
      ['Dropdown', 'label', limits.dropdownLabel.max],
      ['RadioButtonsGroup', 'label', limits.groupLabel.max],
      ['CheckboxGroup', 'label', limits.groupLabel.max],
      ['CheckboxGroup', 'description', limits.groupDescription.max],
      ['OptIn', 'label', limits.optInLabel.max],
      ['Footer', 'label', limits.footerLabel.max],
    ] as const
  ).flatMap(([type, property, max]): Mutation[] =>
    [
      { what: 'as long as it may be', value: '😀'.repeat(max) },
      { what: 'one too long', value: 'ש'.repeat(max + 1) },
      { what: 'a number', value: 7 },
    ].map(({ what, value }) => ({
      name: `${property} of ${type}: ${what}`,
      change: (it, pick) => set(pick(childrenOf(it).filter((child) => child.type === type)), { [property]: value }),
    })),
  ),
  { name: 'an empty label', change: (it, pick) => set(pick(having(it, 'label')), { label: '' }) },
  { name: 'an empty text', change: (it, pick) => set(pick(having(it, 'text')), { text: '' }) },
  { name: 'an option of 31', change: (it, pick) => set(pick(optionsOf(it)), { title: 'x'.repeat(31) }) },
  { name: 'an option without title', change: (it, pick) => remove(pick(optionsOf(it)), 'title') },
  { name: 'an option without id', change: (it, pick) => remove(pick(optionsOf(it)), 'id') },
  { name: 'no options', change: (it, pick) => set(pick(having(it, 'data-source')), { 'data-source': [] }) },
  ...[20, 21, 200, 201].map(
    (count): Mutation => ({
      name: `${count} options`,
      change: (it, pick) =>
        set(pick(having(it, 'data-source')), {
          'data-source': Array.from({ length: count }, (_, index) => ({ id: `${index}`, title: 'x' })),
        }),
    }),
  ),
  {
    name: 'two options of one id',
    change: (it, pick) => {
      const options: Json[] | undefined = pick(having(it, 'data-source'))?.['data-source'];
      options?.push({ ...options[0] });
    },
  },
  ...[49, 50, 51].map(
    (count): Mutation => ({
      name: `${count} components`,
      change: (it, pick) => {
        const layout: Json = pick(it.screens as Json[])!.layout;
        const missing = Math.max(count - layout.children.length, 0);
        layout.children = [...Array.from({ length: missing }, () => ({ type: 'TextBody', text: 'x' })), ...layout.children];
      },
    }),
  ),
  ...(['Footer', 'EmbeddedLink', 'OptIn'] as const).map(
    (type): Mutation => ({
      name: `six more of ${type}`,
      change: (it, pick) => {
        const child = pick(childrenOf(it).filter((one) => one.type === type));
        const layout: Json | undefined = it.screens.find((screen: Json) => screen.layout.children.includes(child))?.layout;
        if (layout)
          layout.children.push(
            ...Array.from({ length: 6 }, (_, index) => ({ ...child, ...(child!.name ? { name: `n${index}` } : {}) })),
          );
      },
    }),
  ),
  {
    name: 'two names on one screen',
    change: (it, pick) => {
      const child = pick(having(it, 'name'));
      const layout: Json | undefined = it.screens.find((screen: Json) => screen.layout.children.includes(child))?.layout;
      if (layout) layout.children.unshift({ ...child });
    },
  },
  { name: 'two screens of one id', change: (it, pick) => it.screens.push(structuredClone(pick(it.screens as Json[]))) },
  { name: 'a screen id with digits', change: (it, pick) => set(pick(it.screens as Json[]), { id: 'A1' }) },
  {
    name: 'SUCCESS as id',
    change: (it) => {
      if (it.screens.length === 1 && !it.routing_model) it.screens[0].id = 'SUCCESS';
    },
  },
  {
    name: 'a target that is nowhere',
    change: (it, pick) => set(pick(named(it, 'navigate')), { next: { type: 'screen', name: 'NOWHERE' } }),
  },
  {
    name: 'a way back',
    change: (it, pick) => set(pick(named(it, 'navigate')), { next: { type: 'screen', name: it.screens[0].id } }),
  },
  { name: 'navigate without next', change: (it, pick) => remove(pick(named(it, 'navigate')), 'next') },
  { name: 'an unknown action', change: (it, pick) => set(pick(actionsOf(it)), { name: 'jump' }) },
  { name: 'no address', change: (it, pick) => remove(pick(named(it, 'open_url')), 'url') },
  { name: 'an address that is none', change: (it, pick) => set(pick(named(it, 'open_url')), { url: 'example' }) },
  { name: 'complete before the end', change: (it, pick) => set(pick(named(it, 'navigate')), { name: 'complete' }) },
  {
    name: 'data_exchange without an endpoint',
    change: (it, pick) => !it.data_api_version && set(pick(named(it, 'complete')), { name: 'data_exchange' }),
  },
  {
    name: 'a payload that names nothing',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form
    change: (it, pick) => set(pick(named(it, 'complete'))?.payload, { extra: '${form.nothing}' }),
  },
  {
    name: 'a payload of a screen that is not there',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form
    change: (it, pick) => set(pick(named(it, 'complete'))?.payload, { extra: '${screen.NOWHERE.form.name}' }),
  },
  { name: 'a payload that is a text', change: (it, pick) => set(pick(named(it, 'complete')), { payload: 'all' }) },
  {
    name: 'data that nobody gives',
    change: (it) => it.screens.length > 1 && set(it.screens[1], { data: { a: { type: 'string', __example__: 'x' } } }),
  },
  { name: 'data without type', change: (it, pick) => set(pick(it.screens as Json[]), { data: { a: { __example__: 'x' } } }) },
  { name: 'not terminal at the end', change: (it) => remove(it.screens.at(-1), 'terminal') },
  {
    name: 'terminal without footer',
    change: (it) => set(it.screens.at(-1).layout, { children: [{ type: 'TextBody', text: 'x' }] }),
  },
  { name: 'another layout', change: (it, pick) => set(pick(it.screens as Json[])!.layout, { type: 'TwoColumns' }) },
  { name: 'children that are none', change: (it, pick) => set(pick(it.screens as Json[])!.layout, { children: 'all' }) },
  { name: 'no screens', change: (it) => set(it, { screens: [] }) },
  { name: 'no version', change: (it) => remove(it, 'version') },
  { name: 'version 2.1', change: (it) => set(it, { version: '2.1' }) },
  { name: 'version 99.0', change: (it) => set(it, { version: '99.0' }) },
  { name: 'a number as version', change: (it) => set(it, { version: 7.2 }) },
  { name: 'an unknown property of the flow', change: (it) => set(it, { author: 'x' }) },
  { name: 'an unknown property of a screen', change: (it, pick) => set(pick(it.screens as Json[]), { color: 'red' }) },
  { name: 'another data_api_version', change: (it) => it.data_api_version && set(it, { data_api_version: '9.0' }) },
  { name: 'no routing_model', change: (it) => remove(it, 'routing_model') },
  { name: 'a route to nowhere', change: (it) => it.routing_model?.[it.screens[0].id].push('NOWHERE') },
  { name: 'a route from nowhere', change: (it) => it.routing_model && set(it.routing_model, { NOWHERE: [] }) },
  {
    name: 'a route back',
    change: (it) => it.routing_model && it.screens.length > 1 && it.routing_model[it.screens.at(-1).id].push(it.screens[0].id),
  },
  { name: 'a screen nobody reaches', change: (it) => it.screens.push({ ...structuredClone(it.screens.at(-1)), id: 'Z_ALONE' }) },
];

/**
 * Where the two differ on purpose: what may be new at the provider is a warning of ours, and its own faults follow the upload. The sandbox
 * refuses it, as the provider does today.
 */
const exceptions: Mutation[] = [
  { name: 'an unknown property of a component', change: (it, pick) => set(pick(childrenOf(it)), { 'initial-text': 'x' }) },
  { name: 'an unknown type of component', change: (it) => it.screens[0].layout.children.unshift({ type: 'HologramPicker' }) },
];

describe('of every fault, both refuse the document or both pass it', () => {
  test.each(mutations)('$name', ({ change }) => {
    fc.assert(
      fc.property(builders, fc.nat(), (builder, seed) => {
        const flowJson = structuredClone(compileFlow(builder, version)) as Json;
        change(flowJson, (of) => of[seed % of.length]);
        const [ours, theirs] = [ourErrors(flowJson), providerErrors(flowJson)];
        expect({ isRefused: ours.length > 0, ours, theirs }).toEqual({ isRefused: theirs.length > 0, ours, theirs });
      }),
      { numRuns: 25 },
    );
  });
});

test.each(exceptions)('the provider alone refuses $name', ({ change }) => {
  fc.assert(
    fc.property(
      builders.filter(({ flow }) => flow.screens![0]!.components !== null),
      fc.nat(),
      (builder, seed) => {
        const flowJson = structuredClone(compileFlow(builder, version)) as Json;
        change(flowJson, (of) => of[seed % of.length]);
        expect(ourErrors(flowJson)).toEqual([]);
        expect(providerErrors(flowJson)).not.toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
});

describe('documents that the provider publishes', () => {
  /** Of its collection of requests: a template that brings its flow along. */
  const welcome =
    '{"version":"5.0","screens":[{"id":"WELCOME_SCREEN","layout":{"type":"SingleColumnLayout","children":[{"type":"TextHeading","text":"Hello World"},{"type":"Footer","label":"Complete","on-click-action":{"name":"complete","payload":{}}}]},"title":"Welcome","terminal":true,"success":true,"data":{}}]}';

  test('one that the builder can show is the same document after it', () => {
    const document = JSON.parse(welcome);
    const builder = readFlow(document, { id: 'f', name: 'Welcome' })!;
    expect(builder).toEqual({
      mode: 'visual',
      flow: {
        id: 'f',
        name: 'Welcome',
        screens: [
          {
            id: 'WELCOME_SCREEN',
            title: 'Welcome',
            components: [{ id: 'heading_1', type: 'heading', text: 'Hello World' }],
            actions: [{ label: 'Complete', type: 'complete' }],
          },
        ],
      },
    });
    expect(canonicalJson(compileFlow(builder, '5.0'))).toBe(canonicalJson(document));
  });

  /** Of the older shape: what is filled in stands in a form, and answers get other names at the end. */
  const contact = () => ({
    version: '7.2',
    screens: [
      {
        id: 'CONTACT',
        title: 'Contact us',
        terminal: true,
        data: {},
        layout: {
          type: 'SingleColumnLayout',
          children: [
            {
              type: 'Form',
              name: 'form',
              children: [
                { type: 'TextInput', required: true, label: 'First name', name: 'first_name' },
                { type: 'RadioButtonsGroup', label: 'About', name: 'about', 'data-source': [{ id: '0', title: 'An order' }] },
                {
                  type: 'Footer',
                  label: 'Send',
                  'on-click-action': {
                    name: 'complete',
                    // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own form
                    payload: { firstname: '${form.first_name}', about: '${form.about}', key: 'contact' },
                  },
                },
              ],
            },
          ],
        },
      },
    ],
  });

  test('one with a form stays as it is in mode json, has no faults and gives its labels', () => {
    const document = contact();
    const before = canonicalJson(document);
    expect(readFlow(document)).toBeUndefined();
    expect(ourErrors(document)).toEqual([]);
    expect(providerErrors(document)).toEqual([]);
    const labels = labelsOf(document);
    expect(labels.firstname).toEqual({ label: 'First name' });
    expect(labels.about!.label).toBe('About');
    expect({ ...labels.about!.options }).toEqual({ 0: 'An order' });
    expect(canonicalJson(document)).toBe(before);
  });
});

describe('work grows with the document, and is bounded', () => {
  /** Properties that are read: what compiling and checking do is reading and writing. */
  function readsOf(work: (value: Json) => unknown, value: Json): number {
    let reads = 0;
    const watched = (of: Json): Json =>
      new Proxy(of, {
        get(target, key) {
          reads += 1;
          const inner = Reflect.get(target, key);
          return inner !== null && typeof inner === 'object' ? watched(inner) : inner;
        },
      });
    work(watched(value));
    return reads;
  }

  test('20 full screens take at most 25 times as much as one', () => {
    const [one, twenty] = [fullBuilder(1), fullBuilder(20)];
    const compiling = (builder: Json) => readsOf((it) => compileFlow(it as never, version), builder);
    expect(compiling(twenty) / compiling(one)).toBeLessThan(25);
    const [small, large] = [compileFlow(one, version), compileFlow(twenty, version)];
    expect(JSON.stringify(large).length / JSON.stringify(small).length).toBeLessThan(25);
    const checking = (document: Json) => readsOf((it) => ourErrors(it), document);
    expect(checking(large) / checking(small)).toBeLessThan(25);
    expect(ourErrors(large)).toEqual([]);
    expect(checking(small)).toBeGreaterThan(1_000);
  });

  test('a document with 20,000 components is looked at no further than its fault', () => {
    const document = compileFlow(fullBuilder(1), version) as Json;
    const { layout } = document.screens[0];
    const reads = readsOf((it) => ourErrors(it), document);
    layout.children = Array.from({ length: 20_000 }, (_, index) => ({ ...layout.children[1], name: `n${index}` }));
    expect(readsOf((it) => ourErrors(it), document)).toBeLessThan(4 * reads);
  });

  test('10,000 levels are hashed, read and checked without an end of the stack', () => {
    const deep = JSON.parse(`${'{"children":['.repeat(10_000)}${']}'.repeat(10_000)}`);
    const document = { version, screens: [{ id: 'A', title: 'A', layout: deep }] };
    expect(hashOfDocument(document)).toMatch(/^[0-9a-f]{64}$/);
    expect(readFlow(document)).toBeUndefined();
    expect(ourErrors(document).length).toBeGreaterThan(0);
    expect(Object.keys(labelsOf(document))).toEqual([]);
  });
});
