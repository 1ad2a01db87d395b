import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Asked, triggerOf, triggerOfAttempt } from '../../../../src/webhooks/replay/trigger.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const cases: [string, Asked, string][] = [
  ['the schedule', { is_test: false, asked_by: null, asked_after: null, attempts_before: 0 }, 'schedule'],
  ['a test', { is_test: true, asked_by: null, asked_after: null, attempts_before: 0 }, 'test'],
  ['the replay that asked for it', { is_test: false, asked_by: 'replay', asked_after: 3, attempts_before: 3 }, 'replay'],
  ['the schedule again after it', { is_test: false, asked_by: 'recover', asked_after: 3, attempts_before: 4 }, 'schedule'],
];

test.each(cases)('an attempt is owed to %s, in the log line as in its row', async (_name, asked, wanted) => {
  const [row] = await house.sql<{ trigger: string }>(
    `select ${triggerOfAttempt} as trigger
       from (select $1::boolean as is_test, $2::text as asked_by, $3::int as asked_after, $4::int as attempts) d`,
    [asked.is_test, asked.asked_by, asked.asked_after, asked.attempts_before + 1],
  );
  expect([triggerOf(asked), row!.trigger]).toEqual([wanted, wanted]);
});
