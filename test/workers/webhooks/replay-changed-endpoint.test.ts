import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { pauseOperation, resumeOperation } from '../../../src/platform/ledger/control.ts';
import { changeEndpoint, endpointLock } from '../../../src/webhooks/endpoints.ts';
import { deleteEndpoint, deletionOf, switchOff, switchOn } from '../../../src/webhooks/switch-endpoint.ts';
import { cancelPending } from '../../../workers/webhooks/settle-pending.ts';
import { endpoint } from '../../support/factories/endpoint.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { type Asked, replaying, unhurried } from '../../support/replaying.ts';
import { testSecrets } from '../../support/secrets.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { attemptRows } from '../../support/work/webhooks.ts';

let house: House;
let endpointId: string;
beforeAll(async () => {
  house = await openHouse(undefined, unhurried);
});
afterAll(() => house.close());
beforeEach(async () => {
  await house.reset('webhook_endpoints', 'events');
  endpointId = (await endpoint(house.ledger.transact, house.organizationId)).id;
});

const replays = replaying(
  () => house,
  () => endpointId,
);
const { own, transact, make, asked, step, run, whole, stateOf, counts, jobsOf, control, deliverAll, attempts } = replays;
const locked = () => ({ locks: [endpointLock(endpointId)] });
const remove = () => transact()(deletionOf(own(), endpointId), (tx, operations) => deleteEndpoint(tx, endpointId, operations));
const change = (to: Parameters<typeof changeEndpoint>[2]) =>
  transact()(locked(), (tx) => changeEndpoint(tx, endpointId, to, testSecrets));

/** The job of a switch or a deletion. Runs that were under way are over before its second pass. */
async function cancelWhatWaits() {
  await nextPass();
  await deliverAll();
  await nextPass();
}

async function nextPass() {
  const [row] = await jobRows.all(house, { name: 'webhooks.cancel-pending', state: 'queued' }, ['id', 'run'], { seq: 'desc' });
  if (!row) return;
  await makeDue(house, row.id);
  await house.run(cancelPending as unknown as ToyHandler, row);
}

const kinds = ['recover', 'replay', 'cancel'] as const;
type Kind = (typeof kinds)[number];
/** Some of it done, some to do. */
async function halfway(kind: Kind): Promise<Asked> {
  await make({ count: 15, state: kind === 'cancel' ? 'later' : 'failed' });
  const one = await asked(kind);
  await step(one);
  return one;
}

test.each(kinds)('deleted during a %s: it is called off, and nothing is left to be tried', async (kind) => {
  const one = await halfway(kind);
  await remove();
  expect(await house.row(one.job.id)).toMatchObject({ state: 'done', error: { code: 'cancelled' } });
  expect(await stateOf(one)).toMatchObject({ state: 'ended' });
  await cancelWhatWaits();
  await deliverAll();
  expect((await counts()).pending).toBeUndefined();
  expect(await attemptRows.count(house)).toBe(0);
  expect(await checkJobs(house.database)).toEqual([]);
});

test('deleted while two recovers are paused: both are called off, and cannot be resumed', async () => {
  const one = await halfway('recover');
  const other = await asked('recover', { since: new Date(Date.now() - 1_800_000) });
  for (const each of [one, other]) await control(pauseOperation, each);
  await remove();
  for (const each of [one, other]) {
    expect(await house.row(each.job.id)).toMatchObject({ state: 'done', error: { code: 'cancelled' } });
    await expect(control(resumeOperation, each)).rejects.toMatchObject({ code: 'conflict' });
  }
});

test.each(['keep', 'drop'] as const)(
  'disabled (%s) during a recover: what it goes on with waits until the endpoint is enabled',
  async (held) => {
    const one = await halfway('recover');
    await transact()(locked(), (tx) => switchOff(tx, endpointId, held, 'by hand'));
    if (held === 'drop') await cancelWhatWaits();
    expect(await run('recover', one)).toEqual({ kind: 'done' });
    await deliverAll();
    expect(await counts()).toEqual(held === 'drop' ? { cancelled: 10, pending: 5 } : { pending: 15 });
    expect(await attemptRows.count(house)).toBe(0);
    await transact()(locked(), (tx) => switchOn(tx, endpointId, 'keep'));
    await deliverAll();
    expect(await counts()).toEqual(held === 'drop' ? { cancelled: 10, succeeded: 5 } : { succeeded: 15 });
    expect(await stateOf(one)).toEqual({ state: 'ended', done: 15 });
    expect(await checkJobs(house.database)).toEqual([]);
  },
);

test('an order asked for during a recover: what it goes on with is in it', async () => {
  const subjectId = uuidv7();
  const failed = await make({ count: 15, subjectId });
  const one = await asked('recover');
  await step(one);
  await change({ ordering: 'per_subject' });
  expect(await whole(one)).toBe('over');
  const jobs = await jobsOf(failed);
  expect(jobs.map(({ lane }) => lane !== null)).toEqual(failed.map((_, place) => place >= 10));
  await deliverAll();
  const tried = (await attempts(failed)).map((row) => row.delivery_id);
  expect(tried.filter((id) => failed.indexOf(id) >= 10)).toEqual(failed.slice(10));
  expect(await counts()).toEqual({ succeeded: 15 });
  expect(await checkJobs(house.database)).toEqual([]);
});

test('other types during a replay: it goes on with those it was asked for', async () => {
  await make({ count: 15, state: 'succeeded' });
  const one = await asked('replay', { eventTypes: ['message.sent'] });
  await step(one);
  await change({ eventTypes: ['contact.created'], url: 'http://127.0.0.1:9/other' });
  expect(await whole(one)).toBe('over');
  await deliverAll();
  expect(await stateOf(one)).toMatchObject({ done: 15 });
  expect(await attemptRows.count(house)).toBe(15);
});
