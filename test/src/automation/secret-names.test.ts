import { expect, test } from '@jest/globals';
import { secretName, secretNamesIn } from '../../../src/automation/secret-names.ts';

test.each([
  ['{{ secrets.CRM_TOKEN }}', ['CRM_TOKEN']],
  ['{{secrets["A"]}}{{ secrets.B | upcase }}', ['A', 'B']],
  [`{% if secrets['A1_'] %}x{% endif %}`, ['A1_']],
  [{ headers: { Authorization: 'Bearer {{ secrets.A }}' }, list: [1, null, ['{{ secrets . B }}']] }, ['A', 'B']],
  [{ '{{ secrets.NAME }}': 1 }, ['NAME']],
  ['{{ secrets.CRM_token }} {{ mysecrets.A }} {{ secret.B }} CRM_TOKEN', []],
  ['', []],
  [null, []],
])('%j names %j', (value, names) => {
  expect([...secretNamesIn(value)]).toEqual(names);
});

test('what a name may be', () => {
  for (const name of ['A', 'CRM_TOKEN', 'A1', `A${'B'.repeat(62)}`]) expect(secretName.test(name)).toBe(true);
  for (const name of ['', 'a', '1A', '_A', 'A-B', 'A B', `A${'B'.repeat(63)}`, 'Ä', 'A\n'])
    expect(secretName.test(name)).toBe(false);
});
