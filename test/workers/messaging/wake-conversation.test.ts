import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { wakeConversationJob } from '../../../src/messaging/inbox/jobs.ts';
import { patchConversation } from '../../../src/messaging/inbox/patch.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { wakeConversation } from '../../../workers/messaging/wake-conversation.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { conversationRows } from '../../support/work/messages.ts';
import { ahead, rightNow } from '../../support/work/rows.ts';

let house: House;
let talk: ConversationMade;
const handler = wakeConversation as unknown as ToyHandler;

beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  talk = await conversation(house.em(), house.organizationId);
});

const transact = () => transactFor(house.ledger.transact, house.organizationId);
const patch = (body: Parameters<typeof patchConversation>[2]) =>
  transact()({ locks: [conversationLane(talk.id)] }, (tx) => patchConversation(tx, talk.id, body));
const snooze = (hours = 1) => patch({ snoozed_until: new Date(Date.now() + hours * 3_600_000).toISOString() });
const wakeRow = async () => {
  const [row] = await jobRows.all(house, { subject_id: talk.id }, ['id']);
  return row && house.row(row.id);
};
/** Its time comes: the row is due, and given to the queue as a sweep would. */
async function due() {
  await conversationRows.change(house, talk.id, { snoozed_until: rightNow() });
  await makeDue(house, { subject_id: talk.id });
  return (await wakeRow())!;
}
const state = async () => (await conversationRows.all(house, talk.id, ['status', 'snoozed_until']))[0];
const woken = async () =>
  (await eventRows.all(house, { subject_id: talk.id }, ['data'], { seq: 'asc' }))
    .filter(({ data }) => data.status === 'open')
    .map(({ data }) => data.changed as string[]);

test('until its time the job stays in the table, and no sweep gives it to the queue', async () => {
  await snooze(24);
  await house.sweepAll();
  expect(await wakeRow()).toMatchObject({ state: 'queued', lane: null });
  expect(house.dispatched).not.toContainEqual(expect.objectContaining({ name: wakeConversationJob.name }));
  expect(await checkJobs(house.database)).toEqual([]);
});

test('when it is due the conversation is open, with one event; a second run changes nothing', async () => {
  await snooze();
  const row = await due();
  expect(row.state).toBe('queued');
  expect((await house.run(handler, row)).kind).toBe('done');
  expect(await state()).toEqual({ status: 'open', snoozed_until: null });
  expect(await wakeRow()).toBeUndefined();
  await house.run(handler, row);
  expect(await woken()).toEqual([['status', 'snoozed_until']]);
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a run that comes too late for what somebody did meanwhile changes nothing', async () => {
  await snooze();
  const row = await due();
  await patch({ status: 'resolved' });
  await house.run(handler, row);
  expect(await state()).toEqual({ status: 'resolved', snoozed_until: null });
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a run of an earlier snooze does not end the later one', async () => {
  await snooze();
  const row = await due();
  await snooze(5);
  await house.run(handler, row);
  expect(await state()).toMatchObject({ status: 'snoozed', snoozed_until: expect.any(String) });
  expect(await wakeRow()).toMatchObject({ state: 'queued' });
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a run before its time waits', async () => {
  await snooze();
  const row = await due();
  await conversationRows.change(house, talk.id, { snoozed_until: ahead('1 min') });
  expect((await house.run(handler, row)).kind).toBe('wait');
  expect(await state()).toMatchObject({ status: 'snoozed' });
});

test('a job that fails for good leaves it open, not asleep for ever', async () => {
  await snooze();
  const row = await due();
  await transact()({}, (tx) => wakeConversationJob.failed(tx, { conversation_id: talk.id }, { code: 'crashed', message: 'x' }));
  await jobRows.remove(house, row.id);
  expect(await state()).toEqual({ status: 'open', snoozed_until: null });
  expect(await woken()).toEqual([['status', 'snoozed_until']]);
});
