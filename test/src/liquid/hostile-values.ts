import { renderValue } from '../../../src/liquid/value.ts';

const nestedList = (depth: number): unknown => (depth === 0 ? ['x'] : [nestedList(depth - 1), nestedList(depth - 1)]);
export const scope = {
  event: { data: { long: 'x'.repeat(90_000), list: Array.from({ length: 10_000 }, () => 'xy'), deep: nestedList(14) } },
  contact: { name: 'Ada', custom_fields: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field_${n}`, n])) },
};
/** The rendered value, or why it was cut off. */
export const outcomeOf = (value: unknown) => {
  try {
    return JSON.stringify(renderValue(value, scope, 'UTC'));
  } catch (error) {
    return (error as Error).message;
  }
};
const filledWith = (start: string, unit: string, end: string) =>
  start + unit.repeat(Math.floor((4_096 - start.length - end.length) / unit.length)) + end;
const four = (text: string) => Array.from({ length: 4 }, () => text);
const two = (text: string) => [text, text];

/** Values whose Liquid takes as much work as it may. */
export const hostileValues: [string, unknown][] = [
  [
    'a replace that multiplies',
    ['{{ event.data.long | replace: "x", "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy" }}'],
  ],
  ['a join with a long text', [`{{ event.data.list | join: "${'-'.repeat(4_000)}" }}`]],
  ['a list that is split and joined', [filledWith('{{ event.data.long | truncate: 4000', '|split:""|join:""', '}}')]],
  ['long texts that are compared', four(filledWith('{%if 1==2', ' or event.data.long==event.data.long', '%}x{%endif%}'))],
  ['long texts that are searched', four(filledWith('{%if 1==2', ' or event.data.long contains "xxxxy"', '%}x{%endif%}'))],
  ['long lists that are searched', four(filledWith('{%if 1==2', ' or event.data.list contains "z"', '%}x{%endif%}'))],
  ['long texts cut off, again and again', two(filledWith('', '{{event.data.long|truncate:9}}', ''))],
  ['a list whole', ['{{ event.data.list }}']],
  ['lists in lists', ['{{ event.data.deep }}']],
  ['many fields', ['{{ contact.custom_fields }}']],
  ['a whole event, many times', Array.from({ length: 64 }, () => '{{ event }}')],
  ['as many outputs as there may be', Array.from({ length: 60 }, () => '{{contact.name|upcase|append:"x"}}'.repeat(5))],
];
