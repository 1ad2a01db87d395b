import { expect, test } from '@jest/globals';
import { labelsOf } from '../../../src/flows/document/labels.ts';
import { shownAnswers } from '../../../src/flows/shown-answers.ts';
import { bookingDocument } from '../../support/factories/flow-at-provider.ts';
import { fc } from '../../support/fast-check.ts';

/** As they are stored and read. */
const labels = JSON.parse(JSON.stringify(labelsOf(bookingDocument)));

test('an answer has what was asked, and the words of the option', () => {
  expect(shownAnswers({ day: 'mon', name: 'Ada', flow_token: 't' }, labels)).toEqual([
    { id: 'day', label: 'Which day suits you?', value: 'mon', text: 'Monday' },
    { id: 'name', label: 'Your name', value: 'Ada', text: 'Ada' },
  ]);
});

test('an option that is not known any more is shown by its id', () => {
  expect(shownAnswers({ day: ['mon', 'sun'] }, labels)).toMatchObject([{ text: 'Monday, sun' }]);
});

test('whatever is answered: every field but the token once, with its value as it came', () => {
  fc.assert(
    fc.property(fc.object(), (data) => {
      const shown = shownAnswers(data, labels);
      expect(shown.map(({ id, value }) => [id, value])).toEqual(Object.entries(data).filter(([id]) => id !== 'flow_token'));
      for (const { text } of shown) expect(typeof text).toBe('string');
    }),
  );
});
