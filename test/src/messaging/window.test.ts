import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { unknownWindow } from '../../../src/messaging/window.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { databaseTimer } from '../../support/database-time.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
let id: string;
const windowMs = 60_000;

beforeAll(async () => {
  house = await openHouse();
  id = await message(house.em(), house.organizationId, await conversation(house.em(), house.organizationId), {
    status: 'sending',
  });
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.sql('delete from heartbeats');
  await house.sql('delete from provider_webhooks');
});

const sentAgo = (seconds: number) =>
  house.sql(`update messages set sending_at = clock_timestamp() - $2 * interval '1 s' where id = $1`, [id, seconds]);
/** A process that has been there since so long ago, and was last seen so long ago. */
const process = (since: number, seen = 0, kind = 'web') =>
  house.sql(
    `insert into heartbeats (process_id, process, since, seen_at) values (uuidv7(), $3, clock_timestamp() - $1 * interval '1 s', clock_timestamp() - $2 * interval '1 s')`,
    [since, seen, kind],
  );
const received = (ago: number, state = 'received') =>
  house.sql(
    `insert into provider_webhooks (id, organization_id, body, state, received_at) values (uuidv7(), $1, '', $2, clock_timestamp() - $3 * interval '1 s')`,
    [house.organizationId, state, ago],
  );
const window = () => unknownWindow(ownRows(house.database, house.organizationId), id, windowMs);

test('is over once it has passed under the eyes of a web process', async () => {
  await sentAgo(61);
  await process(300);
  expect(await window()).toEqual({ has_passed: true, left_ms: 0 });
});

test('is not over before its time', async () => {
  const passed = await databaseTimer(house.em());
  await sentAgo(30);
  await process(300);
  const { has_passed, left_ms } = await window();
  expect(has_passed).toBe(false);
  expect(left_ms + (await passed())).toBeGreaterThan(29_990);
  expect(left_ms).toBeLessThanOrEqual(30_000);
});

test('waits for a webhook that was received in it and is not applied', async () => {
  await sentAgo(70);
  await process(300);
  await received(15);
  expect((await window()).has_passed).toBe(false);
  await house.sql(`update provider_webhooks set state = 'applied'`);
  expect((await window()).has_passed).toBe(true);
  await received(5);
  expect((await window()).has_passed).toBe(true);
});

test.each([
  ['no web process at all', []],
  ['only a worker', [[300, 0, 'worker']]],
  ['one that started when half of it was over', [[40, 0, 'web']]],
  ['one that was gone before its end', [[300, 20, 'web']]],
] as const)('is not covered by %s', async (_what, processes) => {
  await sentAgo(70);
  for (const [since, seen, kind] of processes) await process(since, seen, kind);
  expect((await window()).has_passed).toBe(false);
});

test('counts anew from the start of a process that came later, for its whole length', async () => {
  await sentAgo(200);
  await process(59);
  expect((await window()).has_passed).toBe(false);
  await process(61);
  expect((await window()).has_passed).toBe(true);
});
