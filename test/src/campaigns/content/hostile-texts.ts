import type { compile } from '../../../../src/campaigns/content/compile.ts';
import { render } from '../../../../src/campaigns/content/render.ts';
import { body, sampleData } from './sample.ts';

const list = Array.from({ length: 3_000 }, (_, n) => `tag ${n}`);
const data = { ...sampleData, contact: { ...sampleData.contact, tags: list } };
export const rendering = (compiled: ReturnType<typeof compile>) => render(compiled, data, { variantId: 'a', timezone: 'UTC' });

/** As many of `unit` as fit in one text. */
const filledWith = (start: string, unit: string, end: string) =>
  start + unit.repeat(Math.floor((4_096 - start.length - end.length) / unit.length)) + end;

/** Texts that are refused when they are saved. */
export const refusedTexts: [string, string][] = [
  ['nested loops', '{% for a in (1..9999) %}{% for b in (1..9999) %}x{% endfor %}{% endfor %}'],
  ['a table', '{% tablerow a in (1..9999) %}x{% endtablerow %}'],
  ['a huge range', '{{ (1..1000000000) }}'],
  ['a huge range and a filter', '{{ (1..1000000000) | size }}'],
  ['a huge range in a condition', '{% if contact.name contains (1..1000000000) %}x{% endif %}'],
  ['a huge range in an argument', '{{ contact.name | append: (1..1000000000) }}'],
  ['a huge range with a property', '{{ (1..1000000000).size }}'],
  ['an include', '{% include "/etc/passwd" %}'],
  ['a render', '{% render "x" %}'],
  ['a layout', '{% layout "x" %}'],
  ['a block of tags', '{% liquid\nfor a in (1..9)\necho a\nendfor %}'],
  ['raw', '{% raw %}{{ x }}{% endraw %}'],
  ['a count that stays', '{% increment x %}'],
  ['the constructor', '{{ contact.constructor }}'],
  ['the constructor, in brackets', '{{ contact["constructor"]["constructor"] }}'],
  ['the constructor of a text', '{{ contact.name.constructor }}'],
  ['the prototype', '{{ contact.__proto__ }}'],
  ['the prototype as a variable', '{% assign __proto__ = contact %}{{ __proto__.name }}'],
  ['a variable of the process', '{{ process.env }}'],
  ['1 MB of {{', '{{'.repeat(500_000)],
  ['1 MB of {%', '{%'.repeat(500_000)],
  ['1 MB of {{ "', '{{ "'.repeat(250_000)],
  ['4 kB of {{', '{{'.repeat(2_048)],
  ['4 kB of brackets', `{{ ${'('.repeat(4_000)}`],
  ['closed brackets', `{{ ${'('.repeat(2_000)}1${')'.repeat(2_000)} }}`],
  ['variables in brackets', `{{ ${'contact['.repeat(450)}"name"${']'.repeat(450)} }}`],
  ['deep ifs', `${'{% if 1 %}'.repeat(150)}x${'{% endif %}'.repeat(150)}`],
  ['deep ifs that stay open', '{% if 1 %}'.repeat(400)],
  ['very many tags', '{% assign a = 1 %}'.repeat(200) + '{{a}}'.repeat(98) + '{{ 1 }}'.repeat(5)],
  ['a filter that runs expressions', '{{ contact.tags | where_exp: "a", "a.b.c" }}'],
  ['a filter of lists', '{{ contact.tags | concat: contact.tags }}'],
];

/** Texts that take as much work as they may. */
export const hostileTexts: [string, string[]][] = [
  ['recursion by assign', [`{% assign a = "xxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(100)}{{ a }}`]],
  ['a replace that multiplies', ['{{ contact.custom_fields.long | replace: "x", contact.custom_fields.long }}']],
  ['a replace between all letters', ['{{ contact.custom_fields.long | replace: "", contact.custom_fields.long }}']],
  ['a split and join', [filledWith('{{ contact.custom_fields.long', '|split:""|join:""', '}}')]],
  ['a huge width of a date', ['{{ "now" | date: "%999999999d" }}']],
  ['huge numbers', ['{{ 9999999999999999 | times: 9999999999999999 | round: 9999999 }}']],
  ['a search for a long text', ['{{ contact.custom_fields.long | remove: contact.custom_fields.long }}']],
  ['lists that are compared', [filledWith('{%if 1==2', ' or contact.tags==contact.tags', '%}x{%endif%}')]],
  ['lists that are ordered', [filledWith('{%if 1==2', ' or contact.tags<contact.tags', '%}x{%endif%}')]],
  ['a list as a text', ['{{ contact.name | append: contact.tags }}']],
  ['a property of a literal', ['{{ "x".constructor }}']],
  ['a name from a value', ['{{ contact[recipient.code] }}', '{{ contact.custom_fields[campaign.name] }}']],
  ['long chains of a cheap filter', Array.from({ length: 4 }, () => filledWith('{{1', '|plus:1', '}}'))],
  ['long chains of an expensive filter', Array.from({ length: 4 }, () => filledWith('{{"now"', '|date:"%A%B%A%B%A%B"', '}}'))],
  ['long conditions', Array.from({ length: 4 }, () => filledWith('{%if 1', ' and contact.name==contact.name', '%}x{%endif%}'))],
  [
    'long searches',
    Array.from({ length: 4 }, () => filledWith('{%if 1==2', ' or contact.custom_fields.long contains "xxxxy"', '%}x{%endif%}')),
  ],
  [
    'long texts in conditions',
    Array.from({ length: 4 }, () =>
      filledWith('{%if 1', ' and contact.custom_fields.long==contact.custom_fields.long', '%}x{%endif%}'),
    ),
  ],
  ['as many outputs as there may be', Array.from({ length: 60 }, () => '{{contact.name|upcase|append:"x"}}'.repeat(5))],
];

/** The largest content that may be saved. */
export function largestContent() {
  const texts = Array.from({ length: 4 }, () =>
    filledWith('', '{{ contact.custom_fields.something_long | default: "someone of that name" | upcase }}', ''),
  );
  const templates = Array.from({ length: 4 }, (_, n) => ({ name: 'offer', language: `l${n}`, components: [body(...texts)] }));
  return [{ id: 'a', weight: 1, templates }];
}
