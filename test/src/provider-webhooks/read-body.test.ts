import { expect, jest, test } from '@jest/globals';
import { readBody } from '../../../src/provider-webhooks/read-body.ts';
import { fc } from '../../support/fast-check.ts';

const read = (text: string, maxParts = 1_000) => readBody(Buffer.from(text), maxParts);

test('an integer that no number holds is kept as it was written, wherever it stands', () => {
  const text =
    '{"a":12345678901234567890,"b":[-12345678901234567890 ,9007199254740991,1234567890123456],"c":0.1234567890123456,"d":1.5e3,"e":-1234567890123456e-2}';
  expect(read(text)).toEqual({
    a: '12345678901234567890',
    b: ['-12345678901234567890', 9007199254740991, 1234567890123456],
    c: 0.1234567890123456,
    d: 1500,
    e: -12345678901234.56,
  });
});

test('in a text nothing is a number, a value or an end', () => {
  const texts = ['12345678901234567890', ',[{', '\\', '\\"', '"\\\\', 'zwölf "12345678901234567890"', '\u0000'];
  expect(read(JSON.stringify(texts), 0.08)).toEqual(texts);
});

/** The plain way to the same, which looks at every value by a call of its own. */
const exactly = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
  typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '') ? source : value;

test('any JSON is read as JSON.parse reads it, but for integers that no number holds', () => {
  fc.assert(fc.property(fc.json(), (text) => expect(read(text)).toEqual(JSON.parse(text, exactly))));
});

test.each(['', '{', '{"a":', '"', '"\\', '-', '[1,]', '\ufeff{}'])('%j is an error', (text) => {
  expect(() => read(text)).toThrow();
});

test.each([
  ['numbers', (n: number) => `[${Array(n).fill(0).join(',')}]`],
  ['objects in each other', (n: number) => '{"":'.repeat(n)],
  ['lists in each other', (n: number) => '['.repeat(n)],
])('a body of 4 MiB of %s is refused before it is parsed', (_what, bodyOf) => {
  const body = Buffer.from(bodyOf(2 ** 20));
  const parse = jest.spyOn(JSON, 'parse');
  try {
    expect(() => readBody(body, 1_000)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
    expect(parse).not.toHaveBeenCalled();
  } finally {
    parse.mockRestore();
  }
});

test('as many values as the parts may have are read', () => {
  expect(read(`[${Array(999).fill(0).join(',')}]`, 10)).toHaveLength(999);
  expect(() => read(`[${Array(1_000).fill(0).join(',')}]`, 10)).toThrow('more than 1000 values');
});
