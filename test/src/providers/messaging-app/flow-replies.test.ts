import { expect, test } from '@jest/globals';
import { toFlowFaults } from '../../../../src/providers/messaging-app/flow-replies.ts';

test('a line of the validation that is no object is kept as its text', () => {
  const messages = toFlowFaults(['Wrong', 7, null, { message: 'Said' }]).map(({ message }) => message);
  expect(messages).toEqual(['Wrong', '7', 'null', 'Said']);
});

test('what is no list has no lines', () => {
  expect(toFlowFaults({ message: 'Wrong' })).toEqual([]);
});
