import { describe, expect, test } from '@jest/globals';
import { liquidFaults } from '../../../src/liquid/faults.ts';
import { renderValue } from '../../../src/liquid/value.ts';
import { fc } from '../../support/fast-check.ts';
import { processorMs } from '../../support/processor-time.ts';

/** What other work of the machine does to one try is not ours: the best of three, in processor time. */
async function bestOf3(work: () => void): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 3; n++) times.push((await processorMs(work)).own);
  return Math.min(...times);
}

const nestedList = (depth: number): unknown => (depth === 0 ? ['x'] : [nestedList(depth - 1), nestedList(depth - 1)]);
const scope = {
  event: { data: { long: 'x'.repeat(90_000), list: Array.from({ length: 10_000 }, () => 'xy'), deep: nestedList(14) } },
  contact: { name: 'Ada', custom_fields: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`field_${n}`, n])) },
};
const outcomeOf = (value: unknown) => {
  try {
    return JSON.stringify(renderValue(value, scope));
  } catch (error) {
    return (error as Error).message;
  }
};
const filledWith = (start: string, unit: string, end: string) =>
  start + unit.repeat(Math.floor((4_096 - start.length - end.length) / unit.length)) + end;
const four = (text: string) => Array.from({ length: 4 }, () => text);
const two = (text: string) => [text, text];

/** 40: what texts read is copied for each step, and may be four times as much as a message's. */
describe('a value is rendered or cut off within 40 ms:', () => {
  test.each<[string, unknown]>([
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
  ])('%s', async (_title, value) => {
    const variables = { event: null, contact: null };
    expect(liquidFaults(value, [], { of: 'a step', variables })).toEqual([]);
    let outcome = '';
    const ms = await bestOf3(() => {
      outcome = outcomeOf(value) ?? '';
    });
    expect(ms).toBeLessThan(40);
    expect(outcome.length).toBeLessThan(70_000);
  });
});

test('no text and no scope make it throw anything but render_failed, and nothing of the engine is shown', () => {
  const piece = fc.constantFrom(
    ...[
      '{{',
      '}}',
      '{%',
      '%}',
      '{% if ',
      '{% endif %}',
      '{% assign x = ',
      '| append: ',
      '| default: ',
      '| join: ',
      '| split: ""',
    ],
    ...[
      'contact',
      '.name',
      '.a',
      '[',
      ']',
      '(1..9)',
      '"',
      ' ',
      'x',
      '1',
      ' == ',
      ' contains ',
      '.constructor',
      '.__proto__',
      'nil',
      'empty',
    ],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `{{ contact${pieces.join('')} }}`),
  );
  fc.assert(
    fc.property(fc.oneof(text, fc.array(text), fc.dictionary(fc.string(), text)), fc.anything(), (value, contact) => {
      let outcome: unknown;
      try {
        outcome = renderValue(value, { contact, x: contact });
      } catch (error) {
        expect(error).toMatchObject({ code: 'render_failed' });
      }
      expect(JSON.stringify(outcome) ?? '').not.toMatch(/\[native code\]|function Object/);
    }),
  );
});
