import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { unknownWindow } from '../../../src/messaging/window.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { Heartbeat } from '../../../src/platform/process/heartbeat.entity.ts';
import { ProviderWebhook, type ProviderWebhookState } from '../../../src/provider-webhooks/provider-webhook.entity.ts';
import { databaseTimer } from '../../support/database-time.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { type House, openHouse } from '../../support/house.ts';
import { inMs, secondMs } from '../../support/rules/clock.ts';
import { setMessage } from '../../support/rules/messages.ts';
import { storeRow } from '../../support/rules/rows.ts';

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
  await house.em().nativeDelete(Heartbeat, {});
  await house.em().nativeDelete(ProviderWebhook, {});
});

const sentAgo = (seconds: number) => setMessage(house.em(), id, { sending_at: inMs(-seconds * secondMs) });
/** A process that has been there since so long ago, and was last seen so long ago. */
const process = (since: number, seen = 0, kind: 'web' | 'worker' = 'web') =>
  house.em().insert(Heartbeat, {
    process_id: uuidv7(),
    process: kind,
    since: inMs(-since * secondMs),
    seen_at: inMs(-seen * secondMs),
  });
const received = (ago: number, state: ProviderWebhookState = 'received') =>
  storeRow(house.em(), house.organizationId, ProviderWebhook, {
    body: Buffer.alloc(0),
    state,
    received_at: inMs(-ago * secondMs),
  });
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
  await house.em().nativeUpdate(ProviderWebhook, {}, { state: 'applied' });
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
