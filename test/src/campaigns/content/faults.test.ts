import { describe, expect, test } from '@jest/globals';
import type { Variant } from '../../../../src/campaigns/campaign.entity.ts';
import { contentFaults, contentFaultsOn, throwContentFaults } from '../../../../src/campaigns/content/faults.ts';
import type { TemplateRow } from '../../../../src/campaigns/content/template-row.ts';
import { AppError, fieldOf } from '../../../../src/platform/errors.ts';
import { approved, body, variant } from './sample.ts';

const one = 'variants[0].templates[0].components';
const value = `${one}[0].parameters[0].text`;
const link = { type: 'URL', text: 'Open', url: 'https://example.com/{{1}}' };
const withButton = approved('Hi {{1}}', { type: 'BUTTONS', buttons: [link] });
const withImage = approved('Hi', { type: 'HEADER', format: 'IMAGE' });
const button = (text: string, index: unknown = 0) => ({
  type: 'button',
  sub_type: 'url',
  index,
  parameters: [{ type: 'text', text }],
});
const image = (source: object) => ({ type: 'header', parameters: [{ type: 'image', image: source }] });
const named = (text: string, parameter_name: string) => ({ type: 'body', parameters: [{ type: 'text', text, parameter_name }] });

const found = (variants: Variant[], row?: TemplateRow) =>
  contentFaults(variants, () => row).map(({ path, code, message }) => [fieldOf(path), code, message]);
const placesOf = (components: object[], row: TemplateRow) =>
  found([variant(...components)], row).map(([path, code]) => [path, code]);

describe('right:', () => {
  test.each<[string, object[], TemplateRow]>([
    ['no parameters', [], approved('Hello')],
    ['Liquid counts as a text', [body('{{ contact.name }}')], approved('Hi {{1}}')],
    ['a name', [named('{{ contact.name }}', 'first')], approved('Hi {{first}}')],
    ['Liquid in an address of a button', [body('x'), button('{{ recipient.code }}')], withButton],
    ['Liquid in an address of a picture', [image({ link: '{{ recipient.picture }}' })], withImage],
    ['braces in a text that is none', [body('{ contact }')], approved('Hi {{1}}')],
    ['a template that is not read yet', [body('{{ contact.name }}')], { ...approved(''), components: [] }],
  ])('%s', (_title, components, row) => {
    expect(found([variant(...components)], row)).toEqual([]);
  });
});

describe('the parameters do not fit the template:', () => {
  test.each<[string, object[], TemplateRow, string, string]>([
    ['too few', [body('{{ contact.name }}')], approved('{{1}} {{2}}'), `${one}[0].parameters`, 'template.parameter_missing'],
    ['none', [], approved('{{1}}'), one, 'template.parameter_missing'],
    ['too many', [body('{{ contact.name }}', 'b')], approved('{{1}}'), `${one}[0].parameters[1]`, 'template.parameter_unknown'],
    [
      'named wrong',
      [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'x', parameter_name: 'frist' },
            { type: 'text', text: 'x', parameter_name: 'first' },
          ],
        },
      ],
      approved('Hi {{first}}'),
      `${one}[0].parameters[0].parameter_name`,
      'template.parameter_unknown',
    ],
    [
      'a name for a number',
      [named('x', 'first')],
      approved('{{1}}'),
      `${one}[0].parameters[0].parameter_name`,
      'template.parameter_name',
    ],
    ['an empty text', [body('')], approved('{{1}}'), value, 'template.parameter_empty'],
    ['no picture', [], withImage, one, 'template.parameter_missing'],
    [
      'two sources of a picture',
      [image({ id: '1', link: '{{ recipient.a }}' })],
      withImage,
      `${one}[0].parameters[0].image`,
      'template.parameter_empty',
    ],
    ['no address of a button', [body('x')], withButton, one, 'template.parameter_missing'],
    [
      'a button that is not there',
      [body('x'), button('y'), button('z', 4)],
      withButton,
      `${one}[2].index`,
      'template.button_index',
    ],
    ['an unknown component', [{ type: 'foot' }], approved('Hi'), `${one}[0].type`, 'template.component_unknown'],
  ])('%s', (_title, components, row, path, code) => {
    expect(placesOf(components, row)).toContainEqual([path, code]);
  });
});

describe('a text is not Liquid that we allow:', () => {
  test.each([
    ['{{ contact.name', 'liquid.syntax'],
    ['{{ contact.name | }}{{', 'liquid.syntax'],
    ['{% if contact.name %}x', 'liquid.syntax'],
    ['{% endif %}', 'liquid.syntax'],
    ['{% for t in contact.tags %}x{% endfor %}', 'liquid.tag_forbidden'],
    ['{% capture x %}y{% endcapture %}', 'liquid.tag_forbidden'],
    ['{{ contact.tags | map: "x" }}', 'liquid.filter_unknown'],
    ['{{ contact.tags | where_exp: "x", "x" }}', 'liquid.filter_unknown'],
    ['{{ contact | json }}', 'liquid.filter_unknown'],
    ['{{ user.name }}', 'liquid.variable_unknown'],
    ['{{ contact.nmae }}', 'liquid.variable_unknown'],
    ['{{ campaign.secret }}', 'liquid.variable_unknown'],
    ['{{ contact.name | default: nmae }}', 'liquid.variable_unknown'],
    ['{% if x == 1 %}{% endif %}', 'liquid.variable_unknown'],
    ['{% if true %}{% if true %}{{ x }}{% endif %}{% endif %}', 'liquid.variable_unknown'],
    ['{% case x %}{% when 1 %}{% endcase %}', 'liquid.variable_unknown'],
    ['{% case contact.name %}{% when contact.id %}{% endcase %}', 'liquid.variable_unknown'],
    ['{{ contact[x] }}', 'liquid.variable_unknown'],
    ['{{ [contact.name] }}', 'liquid.variable_unknown'],
    [`{{ "${'x'.repeat(4_096)}" }}`, 'liquid.too_long'],
    ['{{ 1 }}'.repeat(301), 'liquid.too_many'],
  ])('%.60s', (text, code) => {
    expect(placesOf([body(text)], approved('{{1}}'))).toEqual([[value, code]]);
  });

  test('Liquid where the form of a message stands', () => {
    const components = [body('x'), button('y', '{{ recipient.index }}')];
    expect(placesOf(components, withButton)).toContainEqual([`${one}[1].index`, 'liquid.place']);
    const parameter = { type: '{{ contact.name }}', text: 'x' };
    expect(placesOf([{ type: 'body', parameters: [parameter] }], approved('{{1}}'))).toContainEqual([
      `${one}[0].parameters[0].type`,
      'liquid.place',
    ]);
  });

  test('more Liquid than a message may have', () => {
    const texts = Array.from({ length: 65 }, () => '{{ 1 }}');
    expect(placesOf([body(...texts)], approved(''))).toContainEqual([`${one}[0].parameters[64].text`, 'liquid.too_many']);
    const long = Array.from({ length: 5 }, () => `{{ 1 }}${'x'.repeat(4_000)}`);
    expect(placesOf([body(...long)], approved(''))).toContainEqual([`${one}[0].parameters[4].text`, 'liquid.too_many']);
  });

  test('more Liquid than a campaign may have', () => {
    const texts = Array.from({ length: 4 }, () => `{{ 1 }}${'x'.repeat(4_000)}`);
    const variants = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ ...variant(body(...texts)), id }));
    const faults = found(variants, { ...approved(''), components: [] });
    expect(faults[0]?.slice(0, 2)).toEqual(['variants[4].templates[0].components[0].parameters[0].text', 'liquid.too_many']);
  });

  test('a parameter that is too deep', () => {
    const deep = { type: 'action', action: JSON.parse(`${'['.repeat(200)}1${']'.repeat(200)}`) as unknown };
    const [fault] = placesOf([{ type: 'button', parameters: [deep] }], { ...approved(''), components: [] });
    expect(fault?.[1]).toBe('liquid.too_deep');
  });
});

test('a fault names variant, language and parameter', () => {
  const variants = [
    variant(body('x')),
    { ...variant(body('x')), id: 'b', templates: [{ name: 'offer', language: 'pt_BR', components: [body('{{ oops }}', 'y')] }] },
  ];
  expect(found(variants, approved('{{1}}'))).toEqual([
    [
      'variants[1].templates[0].components[0].parameters[0].text',
      'liquid.variable_unknown',
      'Variant b, pt_BR, components[0].parameters[0].text: There is no variable oops: use contact, recipient, campaign',
    ],
    [
      'variants[1].templates[0].components[0].parameters[1]',
      'template.parameter_unknown',
      'Variant b, pt_BR, components[0].parameters[1]: The body takes 1 parameter and got 2: this one is too many',
    ],
  ]);
});

test('a template that is not there or not approved', () => {
  const name = 'variants[0].templates[0].name';
  expect(found([variant()])).toEqual([[name, 'template_unknown', 'Variant a, en: there is no template offer in this language']]);
  expect(found([variant()], { ...approved('Hi'), status: 'paused' })).toEqual([
    [name, 'template_unknown', 'Variant a, en: the template offer cannot be sent: it is paused'],
  ]);
});

test('each channel is checked with its own template', () => {
  const channels = [
    { name: 'North', templateOf: () => approved('Hi {{1}}') },
    { name: 'South', templateOf: () => approved('Hi') },
  ];
  expect(contentFaultsOn([variant(body('x'))], channels).map(({ message }) => message)).toEqual([
    'Variant a, en, components[0].parameters[0]: The body takes 0 parameters and got 1: this one is too many (channel South)',
  ]);
});

test.each<[string, Variant[], string, string]>([
  ['all weights 0', [{ ...variant(), weight: 0 }], 'variants', 'content.weight'],
  ['a weight below 0', [variant(), { ...variant(), id: 'b', weight: -1 }], 'variants[1].weight', 'content.weight'],
  ['half a weight', [variant(), { ...variant(), id: 'b', weight: 0.5 }], 'variants[1].weight', 'content.weight'],
  ['one id twice', [variant(), variant()], 'variants[1].id', 'content.variant_twice'],
  ['no template', [{ ...variant(), templates: [] }], 'variants[0].templates', 'content.template_missing'],
  [
    'a language twice',
    [{ ...variant(), templates: [...variant().templates, ...variant().templates] }],
    'variants[0].templates[1].language',
    'content.language_twice',
  ],
])('variants: %s', (_title, variants, path, code) => {
  expect(found(variants, approved('Hi')).map((fault) => fault.slice(0, 2))).toContainEqual([path, code]);
});

test('what is thrown says template_unknown only where that is all', () => {
  const codeOf = (variants: Variant[]) => {
    try {
      throwContentFaults(contentFaults(variants, () => undefined));
    } catch (error) {
      return error instanceof AppError ? [error.code, error.details?.[0]?.field] : error;
    }
    return undefined;
  };
  expect(codeOf([variant()])).toEqual(['template_unknown', 'variants[0].templates[0].name']);
  expect(codeOf([variant(body('{{'))])).toEqual(['invalid_request', value]);
  expect(codeOf([])).toEqual(['invalid_request', 'variants']);
});
