import type { Action, BuilderJson, Component, Screen } from '../../src/flows/document/builder.ts';
import { kinds } from '../../src/flows/document/kinds.ts';
import { fc } from './fast-check.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Letters and underscores only: `A`, `B` … `AA`. */
const screenIdOf = (index: number): string => (index >= 26 ? screenIdOf(Math.floor(index / 26) - 1) : '') + letters[index % 26]!;

const signs = ['a', 'Z', '7', ' ', '-', 'é', 'ß', 'ש', 'ل', '你', '😀', '👍🏽', '"', '\\', '\n', '<'];

/** Words of several scripts, emoji among them, some as long as they may be; never blank, never like a reference. */
const words = (max: number) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc.array(fc.constantFrom(...signs), { maxLength: Math.min(max, 10) / 2 }).map((parts) => `x${parts.join('')}`),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...signs.filter((sign) => sign.trim() && [...sign].length === 1))
        .map((sign) => sign.repeat(max)),
    },
  );

const component: fc.Arbitrary<Omit<Component, 'id'>> = fc.oneof(
  ...(['heading', 'subheading', 'body', 'caption'] as const).map((type) =>
    fc.record({ type: fc.constant(type), text: words(80) }),
  ),
  fc.record({ type: fc.constant('link' as const), text: words(25) }),
  ...(['text_input', 'email', 'phone', 'number', 'password', 'passcode', 'text_area', 'date'] as const).map((type) =>
    fc.record(
      { type: fc.constant(type), label: words(20), helper_text: words(80), required: fc.boolean() },
      { requiredKeys: ['type', 'label'] },
    ),
  ),
  fc.record(
    { type: fc.constant('opt_in' as const), label: words(120), required: fc.boolean() },
    { requiredKeys: ['type', 'label'] },
  ),
  ...(['dropdown', 'radio', 'checkbox'] as const).map((type) =>
    fc
      .record(
        {
          type: fc.constant(type),
          label: words(20),
          helper_text: words(80),
          required: fc.boolean(),
          options: fc.uniqueArray(fc.record({ id: words(30), label: words(30) }), {
            selector: ({ id }) => id,
            minLength: 1,
            maxLength: 8,
          }),
        },
        { requiredKeys: ['type', 'label', 'options'] },
      )
      .map(({ helper_text, ...rest }) => (type === 'dropdown' || helper_text === undefined ? rest : { ...rest, helper_text })),
  ),
);

const inputNames = ['name', 'email', 'constructor', 'to_string', 'heading_1', 'link_2', 'has_own', 'a', 'x9'];

type Shape = { components: Omit<Component, 'id'>[]; title: string; label: string; how: 'navigate' | 'data_exchange' }[];

/** What a person could have built: without faults, and in the form in which the reader gives it back. */
export const builders: fc.Arbitrary<BuilderJson> = fc
  .record({
    id: fc.string({ maxLength: 20 }),
    name: fc.string({ maxLength: 20 }),
    screens: fc.array(
      fc.record({
        components: fc.array(component, { maxLength: 6 }),
        title: words(60),
        label: words(35),
        how: fc.constantFrom('navigate' as const, 'navigate' as const, 'data_exchange' as const),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    lastAction: fc.constantFrom('complete' as const, 'complete' as const, 'data_exchange' as const),
  })
  .map(({ id, name, screens, lastAction }) => ({ mode: 'visual', flow: { id, name, screens: numbered(screens, lastAction) } }));

function numbered(shapes: Shape, lastAction: 'complete' | 'data_exchange'): Screen[] {
  let inputs = 0;
  const named = shapes.map(({ components }) =>
    components.map((one): Component => {
      if (!kinds[one.type].isInput) return { id: '', ...one };
      inputs += 1;
      return { id: inputNames[inputs - 1] ?? `field_${inputs}`, ...one };
    }),
  );
  const taken = new Set(named.flat().map(({ id }) => id));
  const counts = new Map<string, number>();
  const idOf = (type: string): string => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    return taken.has(`${type}_${count}`) ? idOf(type) : `${type}_${count}`;
  };
  return shapes.map(({ title, label, how }, index) => {
    let links = 0;
    let optIns = 0;
    const components = named[index]!.filter(({ type }) => {
      if (type === 'link') links += 1;
      if (type === 'opt_in') optIns += 1;
      return (type !== 'link' || links <= 2) && (type !== 'opt_in' || optIns <= 5);
    }).map((one) => (one.id === '' ? { ...one, id: idOf(one.type) } : one));
    const opened = components
      .filter(({ type }) => type === 'link')
      .map((link): Action => ({ label: link.text!, type: 'open_url', target: link.id, url: `https://example.com/${link.id}` }));
    const isLast = index === shapes.length - 1;
    const on: Action = isLast ? { label, type: lastAction } : { label, type: how, target: screenIdOf(index + 1) };
    return { id: screenIdOf(index), title, actions: [...opened, on], components: components.length > 0 ? components : null };
  });
}

/** 50 components each, the button among them, of all kinds, with texts and options up to their limits. */
export function fullBuilder(screens: number): BuilderJson {
  const types = [
    'body',
    'text_input',
    'text_area',
    'date',
    'radio',
    'checkbox',
    'dropdown',
    'caption',
    'email',
    'heading',
  ] as const;
  const optionsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `o${index}`, label: 'o'.repeat(30) }));
  return {
    mode: 'visual',
    flow: {
      id: '',
      name: '',
      screens: Array.from({ length: screens }, (_, index) => ({
        id: screenIdOf(index),
        title: 't'.repeat(60),
        components: Array.from({ length: 49 }, (_, place): Component => {
          const type = types[place % types.length]!;
          const { isInput, hasOptions, helper } = kinds[type];
          const id = `c_${index}_${place}`;
          if (!isInput) return { id, type, text: 'x'.repeat(type === 'heading' ? 80 : 400) };
          return {
            id,
            type,
            label: 'l'.repeat(20),
            required: true,
            ...(helper ? { helper_text: 'h'.repeat(80) } : {}),
            ...(hasOptions ? { options: optionsOf(type === 'dropdown' ? 200 : 20) } : {}),
          };
        }),
        actions: [
          index === screens - 1
            ? { label: 'Send', type: 'complete' }
            : { label: 'Next', type: 'navigate', target: screenIdOf(index + 1) },
        ],
      })),
    },
  };
}
