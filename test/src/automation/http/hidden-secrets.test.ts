import { expect, test } from '@jest/globals';
import { hiderOf } from '../../../../src/automation/http/hidden-secrets.ts';
import { outputOf } from '../../../../src/automation/http/reply.ts';
import { fc } from '../../../support/fast-check.ts';

const hidden = (text: string, secrets: [string, string][], maxCharacters = 100_000) =>
  hiderOf(new Map(secrets)).text(text, maxCharacters).text;
const answer = (body: string, secrets: [string, string][]) =>
  outputOf({ status: 200, headers: {}, body: Buffer.from(body), isWhole: true }, new Map(secrets));

test('a text that a replacement inserts is not searched again', () => {
  expect(
    hidden('xAx', [
      ['AAAA', 'x'],
      ['B', 'A'],
    ]),
  ).toBe('{{ secrets.AAAA }}{{ secrets.B }}{{ secrets.AAAA }}');
});

test('the longest secret that begins at a place wins, and each spelling is found', () => {
  const secrets: [string, string][] = [
    ['SHORT', 'abc'],
    ['LONG', 'abcdef'],
    ['ODD', 'a b"c'],
  ];
  expect(hidden('abcdef-abc-abcd', secrets)).toBe('{{ secrets.LONG }}-{{ secrets.SHORT }}-{{ secrets.SHORT }}d');
  expect(hidden('a b"c a%20b%22c a b\\"c', secrets)).toBe('{{ secrets.ODD }} {{ secrets.ODD }} {{ secrets.ODD }}');
});

test('a secret at the cut is hidden whole, and nothing after the cut is shown', () => {
  const { text, isCut } = hiderOf(new Map([['T', 'tokentoken']])).text('aaaatokentokentokentoken', 20);
  expect(text).toBe('aaaa{{ secrets.T }}{');
  expect(isCut).toBe(true);
  expect(hiderOf(new Map([['T', 'tokentoken']])).text('aaaaatokentoken', 8).text).not.toContain('tok');
});

test('a number that is a secret is hidden, in JSON and in its names', () => {
  expect(answer('{"12345678":[12345678,1]}', [['PIN', '12345678']]).body).toEqual({
    '{{ secrets.PIN }}': ['{{ secrets.PIN }}', 1],
  });
});

test('a content type shows no secret', () => {
  const reply = { status: 200, headers: { 'content-type': 'text/tokentoken' }, body: Buffer.from(''), isWhole: true };
  expect(outputOf(reply, new Map([['T', 'tokentoken']])).content_type).toBe('text/{{ secrets.T }}');
});

test('finds what a plain search finds, whatever the secrets have in common', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });
  const property = fc.property(
    fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 }),
    fc.uniqueArray(word),
    (text, values) => {
      const secrets = values.map((value, index): [string, string] => [`S${index}`, value]);
      let expected = '';
      for (let at = 0; at < text.length; ) {
        const [name, value = ''] =
          secrets.filter(([, value]) => text.startsWith(value, at)).sort(([, one], [, other]) => other.length - one.length)[0] ??
          [];
        expected += name ? `{{ secrets.${name} }}` : text[at];
        at += name ? value.length : 1;
      }
      expect(hidden(text, secrets)).toBe(expected);
    },
  );
  fc.assert(property, { numRuns: 200 });
});

/** Each character that is compared is a step. */
function counting<Output>(work: () => Output): { steps: number; output: Output } {
  let steps = 0;
  const { charCodeAt } = String.prototype;
  String.prototype.charCodeAt = function (index: number) {
    steps += 1;
    return charCodeAt.call(this, index);
  };
  try {
    return { output: work(), steps };
  } finally {
    String.prototype.charCodeAt = charCodeAt;
  }
}

/** Whoever writes the rule chooses the secrets and their names; whoever answers, the text. */
const longName = 'N'.repeat(62);
const attacks: [title: string, body: string, secrets: [string, string][]][] = [
  [
    'secrets that match the names of others',
    JSON.stringify('a'.repeat(60_000)),
    [
      [longName, 'a'],
      [`${longName}B`, 'N'],
      ['C', 's'],
    ],
  ],
  [
    'three of them and a small answer',
    'a'.repeat(2_000),
    [
      [longName, 'a'],
      [`${longName}B`, 'N'],
      ['C', '{'],
    ],
  ],
  [
    'secrets that almost match everywhere',
    'a'.repeat(256_000),
    Array.from({ length: 20 }, (_, n) => [`A${n}`, `${'a'.repeat(3_000 + n)}b`]),
  ],
  ['secrets that match everywhere', 'ab'.repeat(128_000), Array.from({ length: 20 }, (_, n) => [`A${n}`, 'ab'.repeat(100 + n)])],
  ['control characters, which JSON makes six times as long', '\u0001'.repeat(256_000), [['A', '\u0001'.repeat(8_000)]]],
];

test.each(attacks)('the steps and the size of the output are bounded: %s', (_title, body, secrets) => {
  const { steps, output } = counting(() => answer(body, secrets));
  const patterns = secrets.flatMap(([, value]) => [value, encodeURIComponent(value), JSON.stringify(value)]);
  const searched = 15 * 1024 + Math.max(...patterns.map(({ length }) => length));
  const ofAll = patterns.reduce((sum, { length }) => sum + 4 * (searched + length), 0);
  expect(steps).toBeLessThan(ofAll);
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(16 * 1024);
  for (const [, value] of secrets.filter(([, value]) => value.length > 1)) expect(JSON.stringify(output)).not.toContain(value);
});
