import { expect, test } from '@jest/globals';
import {
  daysArgument,
  emailArgument,
  idArgument,
  personNameArgument,
  portArgument,
  roleArgument,
  scopesArgument,
  timeArgument,
} from '../../cli/arguments.ts';
import { newCredential } from '../../src/platform/credentials.ts';

test('what is right is taken, folded and trimmed', () => {
  expect(emailArgument(' Ada@Example.COM ')).toBe('ada@example.com');
  expect(personNameArgument(' Ada Lovelace ')).toBe('Ada Lovelace');
  expect(scopesArgument('messages:read, messages:read')).toEqual(['messages:read']);
  expect(Math.round((daysArgument('30').getTime() - Date.now()) / 86_400_000)).toBe(30);
});

test.each([
  [() => emailArgument('ada'), '"ada" is not an email'],
  [() => personNameArgument(' '), 'The name must have 1 to 200 characters'],
  [() => roleArgument('boss'), 'Not a role: boss. There are: owner, admin, agent, viewer'],
  [() => scopesArgument(' , '), 'No scope is named'],
  ...['-1', '65536', '80a', ''].map((port) => [() => portArgument(port), 'The port must be a whole number from 0 to 65535']),
  [() => idArgument('nobody', 'an organization'), '"nobody" is not the id of an organization'],
  ...['0', '-1', '1.5', '3651', 'soon'].map((days) => [
    () => daysArgument(days),
    'The days must be a whole number from 1 to 3650',
  ]),
] as [() => unknown, string][])('%s: says what is wrong', (read, message) => {
  expect(read).toThrow(new Error(message));
});

test('a key given in place of its id is not repeated', () => {
  expect(() => idArgument(newCredential('kk_'), 'an API key')).toThrow(new Error('That is not the id of an API key'));
});

test.each([
  ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00.000Z'],
  ['2026-11-21T09:00:00+02:00', '2026-11-21T07:00:00.000Z'],
  ['2026-11-21', '2026-11-21T00:00:00.000Z'],
])('%s is a time', (text, time) => {
  expect(timeArgument(text).toISOString()).toBe(time);
});

test.each([
  ['90m', 5_400_000],
  ['6h', 21_600_000],
  ['2d', 172_800_000],
])('%s is so long ago', (text, ms) => {
  expect(Math.abs(Date.now() - ms - timeArgument(text).getTime())).toBeLessThan(60_000);
});

test.each(['', 'yesterday', '6', '6s', '-6h', '2026-02-30', '2026-11-21T09:00:00'])('%j is no time', (text) => {
  expect(() => timeArgument(text)).toThrow('is not a time');
});
