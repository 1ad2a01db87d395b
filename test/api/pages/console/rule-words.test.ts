import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type { Trigger } from '../../../../src/automation/definition/definition.ts';
import { cancelReasons, heldReasons, pausedReasons, runTriggers } from '../../../../src/automation/states.ts';

type Words = {
  triggerText(trigger: Trigger | { type: string }): string;
  waitingText(type: string, event?: string): string;
  pausedReasons: Record<string, [what: string, todo: string]>;
  heldReasons: Record<string, string>;
  endReasons: Record<string, string>;
  begunBy: Record<string, string>;
};

let words: Words;
beforeAll(async () => {
  words = (await import(join(import.meta.dirname, '../../../../api/pages/console/client/rule-words.js'))) as Words;
});

test.each<[Trigger | { type: string }, string]>([
  [{ type: 'event', event: 'contact.created' }, 'The event contact.created'],
  [{ type: 'keyword', match: 'exact', keywords: ['stop'] }, 'A message that is “stop”'],
  [{ type: 'keyword', match: 'contains', keywords: ['a', 'b'] }, 'A message that contains “a” or “b”'],
  [
    { type: 'keyword', match: 'starts_with', keywords: ['a', 'b', 'c'], channel_ids: ['1', '2'] },
    'A message that starts with “a”, “b”, or “c”, on 2 of the channels',
  ],
  [{ type: 'schedule', cron: '0 9 * * 1' }, 'The schedule 0 9 * * 1'],
  [
    { type: 'schedule', cron: '0 9 * * 1', timezone: 'Asia/Jakarta', for_each: { kind: 'deal' } },
    'The schedule 0 9 * * 1 (Asia/Jakarta), for each deal of a listing',
  ],
  [{ type: 'date', kind: 'task', field: 'due_at' }, 'On the date due_at of each task'],
  [
    { type: 'date', kind: 'deal', field: 'expected_close_at', offset_days: -1 },
    '1 day before the date expected_close_at of each deal',
  ],
  [
    {
      type: 'date',
      kind: 'contact',
      field: 'custom_fields.birthday',
      offset_days: 3,
      at: '09:00',
      timezone: 'Asia/Jakarta',
      repeat: 'yearly',
    },
    '3 days after the date custom_fields.birthday of each contact, at 09:00 (Asia/Jakarta), each year',
  ],
  [{ type: 'manual' }, 'By hand'],
  [{ type: 'manual', subject: 'deal' }, 'By hand, for one deal'],
  [{ type: 'api', name: 'order.paid' }, 'A program tells of “order.paid”'],
  [{ type: 'of_tomorrow' }, 'of_tomorrow'],
])('%j in words', (trigger, text) => {
  expect(words.triggerText(trigger)).toBe(text);
});

test('what a run waits for, in words', () => {
  expect(words.waitingText('wait')).toBe('its time');
  expect(words.waitingText('wait_for')).toBe('an event');
  expect(words.waitingText('wait_for', 'message.new')).toBe('the event message.new');
  expect(words.waitingText('http_request')).toBe('the step http_request');
});

test('every reason and every beginning has its words', () => {
  expect(Object.keys(words.pausedReasons)).toEqual(pausedReasons.filter((reason) => reason !== ''));
  expect(Object.keys(words.heldReasons)).toEqual([...heldReasons]);
  expect(Object.keys(words.endReasons)).toEqual([...cancelReasons]);
  expect(Object.keys(words.begunBy)).toEqual([...runTriggers]);
});
