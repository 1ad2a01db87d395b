import { expect, test } from '@jest/globals';
import { liquidFaults } from '../../../src/liquid/faults.ts';
import { maxOfWhole, maxText } from '../../../src/liquid/limits.ts';
import { isParsed, parseAhead } from '../../../src/liquid/parsed.ts';

/** Takes some ms to parse. Another name, another text. */
const dear = (name: string) => {
  const begin = `{{ '${name}'`;
  return `${begin}${'|append:"x"'.repeat(Math.floor((maxText - begin.length - 3) / 11))} }}`;
};

test('the texts of a value are parsed one by one, and others have their turn between them', async () => {
  const texts = Array.from({ length: 15 }, (_, number) => dear(`turn${number}`));
  const parsed = new Set<number>();
  let isOver = false;
  const look = () => {
    parsed.add(texts.filter(isParsed).length);
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await parseAhead('organization', { steps: [{ vars: Object.fromEntries(texts.map((text, index) => [`v${index}`, text])) }] });
  isOver = true;
  expect(texts.every(isParsed)).toBe(true);
  // At once, nobody would have seen a part of them.
  expect([...parsed].some((count) => count > 0 && count < texts.length)).toBe(true);
});

test('what is beyond the bound is left to the check, which refuses it', async () => {
  const texts = Array.from({ length: maxOfWhole / maxText + 4 }, (_, number) => dear(`beyond${number}`));
  await parseAhead('organization', texts);
  expect(texts.filter(isParsed)).toHaveLength(Math.floor(maxOfWhole / texts[0]!.length));
});

test.each([
  ['a text with a fault', '{{ name | nothing }}', 'liquid.filter_unknown'],
  ['one that is no Liquid', '{{ name', 'liquid.syntax'],
  ['one with a name that is not there', '{{ surname }}', 'liquid.variable_unknown'],
])('%s is told by the check as if nothing had been parsed before', async (_, text, code) => {
  const context = { of: 'a step', variables: { name: null } };
  await parseAhead('organization', { text });
  expect(liquidFaults({ text }, [], context)).toEqual([expect.objectContaining({ path: ['text'], code })]);
});

test('more tags than are left is a fault, whatever was parsed before', async () => {
  const text = '{{ name }}'.repeat(200);
  await parseAhead('organization', [text, text]);
  const faults = liquidFaults([text, text], [], { of: 'a step', variables: { name: null } });
  expect(faults).toEqual([expect.objectContaining({ path: [1], code: 'liquid.too_many' })]);
});
