import { expect, test } from '@jest/globals';
import { reference } from '../../../../src/flows/document/check-actions.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';

const former = /^\$\{(?:screen\.([^.}]+)\.)?(form|data)\.([^.}]+)[^}]*\}$/;
const pieces = fc.constantFrom('${', 'screen.', 'form.', 'data.', 'form', 'a', '.', '}', '{', '\n');
const texts = fc.array(pieces, { maxLength: 8 }).map((some) => some.join(''));
const foundBy = (form: RegExp, text: string) => form.exec(text)?.slice(1);

test('a reference names its screen, its store and its name', () => {
  expect(foundBy(reference, `\${form.email}`)).toEqual([undefined, 'form', 'email']);
  expect(foundBy(reference, `\${screen.ONE.data.items.first}`)).toEqual(['ONE', 'data', 'items']);
});

test('it is read as by the form that tried each end of a name', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(foundBy(reference, text)).toEqual(foundBy(former, text));
    }),
    { numRuns: numRuns({ default: 300, deep: 2_000 }) },
  );
});

test('one of a million characters that never ends is read at once', () => {
  expect(foundBy(reference, `\${form.${'a'.repeat(1_000_000)}`)).toBeUndefined();
});
