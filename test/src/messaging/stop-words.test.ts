import { expect, test } from '@jest/globals';
import { isStopWord } from '../../../src/messaging/stop-words.ts';

const words = ['STOP', 'Unsubscribe', 'BERHENTI', 'Cancelación', 'ne plus'];

test.each([
  ['the word', 'text', { body: 'STOP' }],
  ['in small letters, with room around it', 'text', { body: ' \n stop\t' }],
  ['in another case than configured', 'text', { body: 'UNSUBSCRIBE' }],
  ['in full width', 'text', { body: 'ｓｔｏｐ' }],
  ['with an accent too many', 'text', { body: 'stóp' }],
  ['with an accent missing', 'text', { body: 'cancelacion' }],
  ['with an accent written as its own character', 'text', { body: 'CANCELACIO\u0301N' }],
  ['of two words', 'text', { body: 'Ne plus' }],
  ['as a button’s payload', 'button', { payload: 'STOP', text: 'No more' }],
  ['as a button’s text', 'button', { payload: 'x-17', text: 'Stop' }],
  [
    'as the title of a button of a message',
    'interactive',
    { type: 'button_reply', button_reply: { id: 'x', title: 'Berhenti' } },
  ],
])('%s stops', (_what, type, content) => {
  expect(isStopWord(words, type, content)).toBe(true);
});

test.each([
  ['within a sentence', 'text', { body: 'Please stop' }],
  ['with more after it', 'text', { body: 'STOP it' }],
  ['within a word', 'text', { body: 'nonstop' }],
  ['nothing', 'text', { body: '' }],
  ['no text at all', 'text', {}],
  ['a text that is none', 'text', { body: { toString: 'STOP' } }],
  ['as the caption of an image', 'image', { id: '1', caption: 'STOP' }],
  ['as the id of a button', 'interactive', { type: 'button_reply', button_reply: { id: 'STOP', title: 'Go on' } }],
  ['as a row of a list', 'interactive', { type: 'list_reply', list_reply: { id: 'STOP', title: 'STOP' } }],
  ['in a button of no shape', 'interactive', { button_reply: null }],
  ['as a system message', 'system', { body: 'STOP' }],
  ['as a type named like an inherited property', 'constructor', { body: 'STOP' }],
])('%s does not', (_what, type, content) => {
  expect(isStopWord(words, type, content)).toBe(false);
});

test('with no words nothing stops, not even an empty message', () => {
  expect(isStopWord([], 'text', { body: 'STOP' })).toBe(false);
  expect(isStopWord([], 'text', { body: '' })).toBe(false);
});
