import { expect, test } from '@jest/globals';
import { createContentCache } from '../../../../src/campaigns/content/cache.ts';
import { languageOf, templateFor, variantOf } from '../../../../src/campaigns/content/choose.ts';
import { body, variant } from './sample.ts';

const sharesOf = (...weights: number[]) => {
  const variants = weights.map((weight, id) => ({ id, weight }));
  const counts = weights.map(() => 0);
  for (let n = 0; n < 30_000; n++) counts[variantOf(`recipient-${n}`, variants).id]!++;
  return counts.map((count) => count / 30_000);
};

test('equal weights give equal shares', () => {
  for (const share of sharesOf(1, 1, 1)) expect(Math.abs(share - 1 / 3)).toBeLessThan(0.015);
});

test('a share follows its weight, and 0 gives none', () => {
  const [none, one, three] = sharesOf(0, 250, 750);
  expect(none).toBe(0);
  expect(Math.abs(one! - 0.25)).toBeLessThan(0.015);
  expect(Math.abs(three! - 0.75)).toBeLessThan(0.015);
});

test('a recipient always has the same variant', () => {
  const variants = ['a', 'b', 'c'].map((id) => ({ id, weight: 1 }));
  const first = Array.from({ length: 100 }, (_, n) => variantOf(`r${n}`, variants).id);
  expect(Array.from({ length: 100 }, (_, n) => variantOf(`r${n}`, structuredClone(variants)).id)).toEqual(first);
});

test.each([
  ['pt_BR', 'pt_BR'],
  ['pt-br', 'pt_BR'],
  ['pt', 'pt_BR'],
  ['de_AT', 'de'],
  ['pt_PT', 'en_US'],
  ['p', 'en_US'],
  ['', 'en_US'],
  [undefined, 'en_US'],
])('language %s takes the template in %s', (language, expected) => {
  const templates = ['en_US', 'de', 'pt_BR'].map((one) => ({ language: one }));
  expect(templateFor(templates, language)?.language).toBe(expected);
});

test('the same language goes before one that is longer', () => {
  expect(templateFor([{ language: 'pt_BR' }, { language: 'pt' }], 'pt')?.language).toBe('pt');
});

test('the language of a contact is its own, else that of a custom field', () => {
  expect(languageOf({ language: 'de', custom_fields: { language: 'fr' } })).toBe('de');
  expect(languageOf({ custom_fields: { language: 'fr' } })).toBe('fr');
  expect(languageOf({ custom_fields: { language: 1 } })).toBeUndefined();
  expect(languageOf({})).toBeUndefined();
});

test('a content is compiled once for each revision, and the one not used for longest goes', () => {
  const cache = createContentCache({ entries: 2, weight: 1_000 });
  const variants = [variant(body('{{ contact.name }}'))];
  const first = cache.contentOf('one', 1, variants);
  expect(cache.contentOf('one', 1, variants)).toBe(first);
  expect(cache.contentOf('one', 2, variants)).not.toBe(first);
  expect(cache.contentOf('one', 1, variants)).toBe(first);
  cache.contentOf('two', 1, variants);
  expect(cache.size()).toBe(2);
  expect(cache.contentOf('one', 1, variants)).toBe(first);
});

test('many long contents are not all kept', () => {
  const cache = createContentCache({ entries: 100, weight: 1_000 });
  const variants = [variant(body(`{{ contact.name }}${'.'.repeat(400)}`))];
  for (let n = 0; n < 10; n++) cache.contentOf(`c${n}`, 1, variants);
  expect(cache.size()).toBe(2);
});
