import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { pauseOperation, resumeOperation } from '../../../src/platform/ledger/control.ts';
import { endpointPool, holdPool, letPoolGo } from '../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { Superseded } from '../../../src/platform/ledger/superseded.ts';
import { replayPool } from '../../../src/webhooks/replay/jobs.ts';
import { deliveries } from '../../support/factories/deliveries.ts';
import { endpoint } from '../../support/factories/endpoint.ts';
import { fc } from '../../support/fast-check.ts';
import { type House, onePlace, openHouse } from '../../support/house.ts';
import { type Asked, delivering, outcome, replaying, unhurried } from '../../support/replaying.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue, poolRows } from '../../support/work/jobs.ts';
import { attemptRows, deliveryRows, endpointRows, replayRows } from '../../support/work/webhooks.ts';

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

const { ids, make, asked, step, run, whole, stateOf, counts, jobsOf, control, calledOff, deliverAll, attempts } = replaying(
  () => house,
  () => endpointId,
);

describe('recover', () => {
  test.each([25, 20, 1, 0])('of %d failed deliveries: each has one new try, in the queue of later tries', async (count) => {
    const failed = await make({ count });
    const one = await asked('recover');
    expect(await whole(one)).toBe('over');
    expect(await stateOf(one)).toMatchObject({ done: count });
    const jobs = await jobsOf(failed);
    expect(jobs.map(({ subject_id }) => subject_id)).toEqual(failed);
    for (const job of jobs) expect(job).toMatchObject({ state: 'ready', queue: 'webhook-retries', attempts: 0, run: 2 });
    await deliverAll();
    expect((await attempts(failed)).map((one) => one.delivery_id).sort()).toEqual(failed.toSorted());
    expect((await attempts(failed)).every(({ trigger }) => trigger === 'recover')).toBe(true);
    expect(await run('recover', one)).toEqual({ kind: 'done' });
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('leaves what is older, of another state or endpoint, and tests', async () => {
    const other = (await endpoint(house.ledger.transact, house.organizationId)).id;
    await make({ ageMinutes: 120 });
    await make({ isTest: true });
    await make({ state: 'succeeded' });
    await make({ state: 'cancelled' });
    await make({ state: 'later' });
    await deliveries(house.sql, { ...ids(), endpointId: other });
    const before = await counts();
    const one = await asked('recover');
    expect(await whole(one)).toBe('over');
    expect([await stateOf(one), await counts()]).toEqual([{ state: 'open', done: 0 }, before]);
  });

  test('until a time leaves what came later', async () => {
    const [early] = await make({ ageMinutes: 40 });
    await make({ ageMinutes: 20 });
    const one = await asked('recover', { until: new Date(Date.now() - 30 * 60_000) });
    expect(await whole(one)).toBe('over');
    expect(await counts()).toEqual({ failed: 1, pending: 1 });
    expect(await jobsOf([early!])).toHaveLength(1);
  });

  test('a delivery whose failed job was purged gets a new one', async () => {
    const [id] = await make({ state: 'purged' });
    expect(await whole(await asked('recover'))).toBe('over');
    expect(await jobsOf([id!])).toMatchObject([{ state: 'ready', run: 1 }]);
    await deliverAll();
    expect(await counts()).toEqual({ succeeded: 1 });
  });

  test('what fails again is tried by the schedule, and only the first attempt is marked', async () => {
    const [id] = await make({});
    await whole(await asked('recover'));
    await deliverAll(() => 500);
    expect(await jobsOf([id!])).toMatchObject([{ state: 'ready', attempts: 1 }]);
    await makeDue(house, { subject_id: id });
    await deliverAll();
    expect((await attempts([id!])).map(({ trigger }) => trigger)).toEqual(['recover', 'schedule']);
  });

  test('a retry by hand of its job, as in Bull Board, is a replay too', async () => {
    const [id] = await make({});
    const [failed] = await jobRows.all(house, { subject_id: id }, ['id']);
    expect(await retryJob(house.ledger.transact, failed!.id)).toBe(true);
    expect(await jobsOf([id!])).toMatchObject([{ state: 'ready', queue: 'webhook-retries' }]);
    await deliverAll();
    expect(await attempts([id!])).toEqual([{ delivery_id: id, trigger: 'replay' }]);
  });

  test('asks for no more tries a second than is set', async () => {
    await make({ count: 250 });
    const one = await asked('recover');
    const { config } = house.deps;
    Object.assign(house.deps, { config: { ...config, webhookReplaysPerSecond: 500 } });
    // The endpoint takes all at once: nothing of it waits.
    await poolRows.change(house, endpointPool(endpointId), { width: 1000 });
    const rests = jest.spyOn(onePlace, 'outside');
    expect(await run('recover', one)).toEqual({ kind: 'done' });
    Object.assign(house.deps, { config });
    // A twentieth of a second after each full step of 25.
    expect(rests.mock.calls.length).toBeGreaterThanOrEqual(8);
    rests.mockRestore();
    expect(await stateOf(one)).toEqual({ state: 'ended', done: 250 });
  });

  test('a first try that comes later goes before all that is replayed', async () => {
    const failed = await make({ count: 5 });
    await whole(await asked('recover'));
    const [fresh] = await make({ state: 'waiting' });
    const rows = await jobsOf([...failed, fresh!]);
    expect(rows[0]!.subject_id).toBe(fresh);
  });

  test('per subject: one head a lane, in the order of the events, behind what is there', async () => {
    endpointId = (await endpoint(house.ledger.transact, house.organizationId, { ordering: 'per_subject' })).id;
    const [first, second] = [uuidv7(), uuidv7()];
    const ofFirst = await make({ count: 3, subjectId: first });
    const ofSecond = await make({ count: 2, subjectId: second });
    const [ahead] = await make({ state: 'waiting', subjectId: second });
    expect(await whole(await asked('recover'), 2)).toBe('over');
    const lanes = await jobsOf([...ofFirst, ...ofSecond, ahead!]);
    const inLane = (id: string) => lanes.filter(({ lane }) => lane!.endsWith(id)).map((row) => [row.subject_id, row.state]);
    expect(inLane(first)).toEqual([
      [ofFirst[0], 'ready'],
      [ofFirst[1], 'blocked'],
      [ofFirst[2], 'blocked'],
    ]);
    expect(inLane(second)).toEqual([
      [ahead, 'ready'],
      [ofSecond[0], 'blocked'],
      [ofSecond[1], 'blocked'],
    ]);
    await deliverAll();
    expect((await attempts(ofFirst)).map((one) => one.delivery_id)).toEqual(ofFirst);
    expect(await counts()).toEqual({ succeeded: 6 });
    expect(await checkJobs(house.database)).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ detail: 'webhooks.deliver' })]),
    );
  });

  test('waits while more wait at the endpoint than it takes in a moment, and not for one on hold', async () => {
    await make({ count: 200, state: 'waiting' });
    await make({ count: 5 });
    const one = await asked('recover');
    expect(await step(one)).toEqual({ kind: 'full' });
    await holdPool(house.em(), house.pool(endpointPool(endpointId)), null);
    expect(await step(one)).toEqual({ kind: 'over' });
    expect(await counts()).toEqual({ pending: 205 });
    await letPoolGo(house.em(), house.pool(endpointPool(endpointId)));
    await deliverAll();
    expect(await counts()).toEqual({ succeeded: 205 });
  });

  test('a disabled endpoint keeps what is replayed until it comes back', async () => {
    const failed = await make({ count: 3 });
    await endpointRows.change(house, endpointId, { enabled: false });
    await holdPool(house.em(), house.pool(endpointPool(endpointId)), null);
    expect(await whole(await asked('recover'))).toBe('over');
    await deliverAll();
    expect(await attempts(failed)).toEqual([]);
    expect(await counts()).toEqual({ pending: 3 });
  });

  test('of an endpoint that is deleted meanwhile fails, and leaves nothing', async () => {
    await make({ count: 15 });
    const one = await asked('recover');
    await step(one);
    await endpointRows.remove(house, endpointId);
    expect(await run('recover', one)).toMatchObject({ kind: 'failed', error: { code: 'not_found' } });
    expect(await house.row(one.job.id)).toMatchObject({ state: 'failed' });
  });
});

describe('a worker that dies', () => {
  test('between two steps: another run goes on where it was', async () => {
    const failed = await make({ count: 35 });
    const one = await asked('recover');
    await step(one);
    await step(one);
    expect(await counts()).toEqual({ failed: 15, pending: 20 });
    expect(await run('recover', one)).toEqual({ kind: 'done' });
    expect(await stateOf(one)).toEqual({ state: 'ended', done: 35 });
    expect(await jobsOf(failed)).toHaveLength(35);
  });

  test('within a step: nothing of it is done', async () => {
    await make({ count: 5 });
    const one = await asked('recover');
    await house.sql('alter table webhook_replays add constraint dead check (done = 0) not valid');
    try {
      await expect(step(one)).rejects.toThrow('dead');
      expect([await counts(), await stateOf(one)]).toEqual([{ failed: 5 }, { state: 'open', done: 0 }]);
    } finally {
      await house.sql('alter table webhook_replays drop constraint dead');
    }
    expect(await whole(one)).toBe('over');
    expect(await counts()).toEqual({ pending: 5 });
  });

  test('two runs at once: every delivery has one new try', async () => {
    const failed = await make({ count: 60 });
    const one = await asked('recover');
    const both = await Promise.all([run('recover', one), run('recover', one)]);
    expect(both.map(({ kind }) => kind)).toContain('done');
    expect(await stateOf(one)).toEqual({ state: 'ended', done: 60 });
    expect((await jobsOf(failed)).every(({ run: number }) => number === 2)).toBe(true);
  });

  test('a run whose job has another run by now writes nothing', async () => {
    await make({ count: 5 });
    const one = await asked('recover');
    await expect(step({ ...one, job: { ...one.job, run: 2 } })).rejects.toBeInstanceOf(Superseded);
    expect(await counts()).toEqual({ failed: 5 });
  });

  test('two operations over the same deliveries give each one try', async () => {
    const failed = await make({ count: 20 });
    const [one, other] = [await asked('recover'), await asked('recover', { since: new Date(Date.now() - 1_800_000) })];
    expect(other.id).not.toBe(one.id);
    await Promise.all([whole(one), whole(other)]);
    expect(await counts()).toEqual({ pending: 20 });
    expect((await jobsOf(failed)).map(({ run: number }) => number)).toEqual(failed.map(() => 2));
    const done = [(await stateOf(one))!.done, (await stateOf(other))!.done];
    expect(done[0]! + done[1]!).toBe(20);
  });
});

describe('replay', () => {
  test('every event of the types has one new try, delivered or not, and one that the endpoint never got too', async () => {
    const given = [
      ...(await make({ count: 3, state: 'succeeded' })),
      ...(await make({ count: 3, state: 'failed' })),
      ...(await make({ state: 'cancelled' })),
      ...(await make({ count: 2, state: 'later' })),
    ];
    const other = (await endpoint(house.ledger.transact, house.organizationId)).id;
    await deliveries(house.sql, { ...ids(), endpointId: other }, { count: 4, state: 'succeeded' });
    await deliveries(house.sql, { ...ids(), endpointId: other }, { type: 'contact.created', state: 'succeeded' });
    const one = await asked('replay', { eventTypes: ['message.sent'] });
    expect(await whole(one, 4)).toBe('over');
    expect(await stateOf(one)).toMatchObject({ done: 13 });
    await deliverAll();
    const tried = await attemptRows.all(house, { endpoint_id: endpointId }, ['delivery_id', 'trigger']);
    expect(tried).toHaveLength(13);
    expect(new Set(tried.map(({ delivery_id }) => delivery_id)).size).toBe(13);
    for (const { trigger } of tried) expect(trigger).toBe('replay');
    expect(tried.map((row) => row.delivery_id)).toEqual(expect.arrayContaining(given));
    expect(await run('replay', one)).toEqual({ kind: 'done' });
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('leaves tests, what is older or later than asked for, and what tells of the endpoint itself', async () => {
    const other = (await endpoint(house.ledger.transact, house.organizationId)).id;
    const toOther = { ...ids(), endpointId: other };
    await deliveries(house.sql, toOther, { isTest: true, state: 'succeeded' });
    await deliveries(house.sql, toOther, { ageMinutes: 120, state: 'succeeded' });
    await deliveries(house.sql, toOther, { ageMinutes: 5, state: 'succeeded' });
    await deliveries(house.sql, toOther, { ageMinutes: 30, state: 'succeeded', subjectId: endpointId });
    const one = await asked('replay', { until: new Date(Date.now() - 10 * 60_000) });
    expect(await whole(one)).toBe('over');
    expect(await stateOf(one)).toMatchObject({ done: 0 });
  });

  test('with an order: the order of the events, though one of them has its delivery only now', async () => {
    const subjectId = uuidv7();
    const other = (await endpoint(house.ledger.transact, house.organizationId)).id;
    endpointId = (await endpoint(house.ledger.transact, house.organizationId, { ordering: 'per_subject' })).id;
    const to = (id: string) => deliveries(house.sql, { ...ids(), endpointId: id }, { subjectId, state: 'succeeded' });
    for (const id of [endpointId, other, endpointId]) await to(id);
    expect(await whole(await asked('replay', { eventTypes: ['message.sent'] }))).toBe('over');
    await deliverAll();
    const tried = await attemptRows.all(house, {}, ['delivery_id'], { id: 'asc' });
    const seqs: number[] = [];
    for (const { delivery_id } of tried) {
      const { event_id } = await deliveryRows.one(house, delivery_id, ['event_id']);
      seqs.push(Number((await eventRows.one(house, event_id, ['seq'])).seq));
    }
    expect(seqs).toHaveLength(3);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
  });

  test('an event made after it was asked for is not part of it', async () => {
    const one = await asked('replay');
    await make({ state: 'succeeded', ageMinutes: 0 });
    expect(await whole(one)).toBe('over');
    expect(await stateOf(one)).toMatchObject({ done: 0 });
  });

  test('many events of other types are passed over in steps that are bounded', async () => {
    await make({ count: 1_500, type: 'contact.created', state: 'succeeded', ageMinutes: 3 });
    const wanted = await make({ count: 3, state: 'succeeded' });
    const one = await asked('replay', { eventTypes: ['message.sent'] });
    expect(await step(one)).toEqual({ kind: 'moved', made: 0 });
    expect(await whole(one)).toBe('over');
    expect(await jobsOf(wanted)).toHaveLength(3);
  });
});

describe('cancel', () => {
  test('what waits, what is planned and what is blocked is cancelled', async () => {
    endpointId = (await endpoint(house.ledger.transact, house.organizationId, { ordering: 'per_subject' })).id;
    const [first, second] = [uuidv7(), uuidv7()];
    await make({ state: 'waiting', subjectId: first });
    await make({ state: 'failed', subjectId: first });
    await make({ state: 'later', subjectId: second });
    await whole(await asked('recover'));
    const one = await asked('cancel');
    expect(await whole(one)).toBe('over');
    expect(await counts()).toEqual({ cancelled: 3 });
    expect(await jobRows.count(house, { name: 'webhooks.deliver' })).toBe(0);
    expect(await run('cancel', one)).toEqual({ kind: 'done' });
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('what comes behind a cancelled head gets its turn', async () => {
    endpointId = (await endpoint(house.ledger.transact, house.organizationId, { ordering: 'per_subject' })).id;
    const subjectId = uuidv7();
    const [head] = await make({ state: 'waiting', subjectId, ageMinutes: 20 });
    const [behind] = await make({ state: 'failed', subjectId, ageMinutes: 5 });
    await whole(await asked('recover'));
    expect((await jobsOf([head!, behind!])).map(({ state }) => state)).toEqual(['ready', 'blocked']);
    expect(await whole(await asked('cancel', { until: new Date(Date.now() - 10 * 60_000) }))).toBe('over');
    expect(await jobsOf([head!, behind!])).toMatchObject([{ subject_id: behind, state: 'ready' }]);
    await deliverAll();
    expect(await counts()).toEqual({ cancelled: 1, succeeded: 1 });
  });

  test('a try in progress ends and is logged; only what it leaves pending is cancelled', async () => {
    const [id] = await make({ state: 'waiting' });
    await house.ledger.fill(house.pool(endpointPool(endpointId)));
    const one = await asked('cancel');
    let kind: string | undefined;
    Object.assign(house.deps, {
      sender: {
        async send() {
          kind = (await step(one)).kind;
          return outcome(500);
        },
      },
    });
    const [job] = await jobRows.all(house, { subject_id: id }, ['id', 'run']);
    expect(await house.run(delivering, job!)).toMatchObject({ kind: 'again' });
    expect(kind).toBe('later');
    expect(await attempts([id!])).toHaveLength(1);
    expect(await counts()).toEqual({ pending: 1 });
    expect(await run('cancel', one)).toEqual({ kind: 'done' });
    expect(await counts()).toEqual({ cancelled: 1 });
    expect(await checkJobs(house.database)).toEqual([]);
  });

  test('a run that was handed over and has no room yet finds nothing to do', async () => {
    const [id] = await make({ state: 'later' });
    await makeDue(house, { subject_id: id });
    const [job] = await jobRows.all(house, { subject_id: id }, ['id', 'run']);
    await whole(await asked('cancel'));
    expect(await house.run(delivering, job!)).toEqual({ kind: 'stale' });
    expect([await attempts([id!]), await counts()]).toEqual([[], { cancelled: 1 }]);
  });
});

describe('asked for again while it is open', () => {
  const toItsEnd = async (one: Asked) => {
    for (;;) if ((await whole(one)) === 'over') return;
  };

  test.each([
    ['cancel', 'waiting', { cancelled: 17 }],
    ['recover', 'failed', { pending: 17 }],
  ] as const)('%s takes what came since, behind its position too, and is the same operation', async (kind, state, counted) => {
    await make({ count: 15, state });
    const one = await asked(kind, { since: new Date(Date.now() - 50 * 60_000) });
    expect(await step(one)).toEqual({ kind: 'moved', made: 10 });
    await make({ state, ageMinutes: 45 });
    await make({ state, ageMinutes: 0 });
    const again = await asked(kind, { since: await sinceOf(one) });
    expect(again.id).toBe(one.id);
    await toItsEnd(one);
    expect(await counts()).toEqual(counted);
    expect(await stateOf(one)).toMatchObject({ done: 17 });
  });
  const sinceOf = async ({ id }: Asked) => new Date((await replayRows.one(house, id)).since!);

  test('with a time until when, it takes nothing more', async () => {
    await make({ count: 15, state: 'waiting' });
    const until = new Date(Date.now() - 60_000);
    const one = await asked('cancel', { until });
    await step(one);
    await make({ state: 'waiting', ageMinutes: 45 });
    expect((await asked('cancel', { until })).id).toBe(one.id);
    expect(await whole(one)).toBe('over');
    expect(await counts()).toEqual({ cancelled: 15, pending: 1 });
  });

  test('in the moment of its last step, or after it: nothing is forgotten', async () => {
    await make({ count: 5, state: 'waiting' });
    const one = await asked('cancel');
    await make({ state: 'waiting', ageMinutes: 0 });
    const [, again] = await Promise.all([step(one), asked('cancel')]);
    await toItsEnd(again);
    expect(await counts()).toEqual({ cancelled: 6 });
    await toItsEnd(one);
    expect((await asked('cancel')).id).not.toBe(one.id);
  });
});

describe('paused, resumed, called off', () => {
  test('a paused one writes nothing more, has no run, and goes on where it was', async () => {
    await make({ count: 25 });
    const one = await asked('recover');
    await step(one);
    expect(await control(pauseOperation, one)).toBe(true);
    expect(await control(pauseOperation, one)).toBe(false);
    await expect(step(one)).rejects.toBeInstanceOf(Superseded);
    expect(await run('recover', one)).toEqual({ kind: 'stale' });
    expect(await checkJobs(house.database)).toEqual([]);
    expect(await control(resumeOperation, one)).toBe(true);
    expect(await control(resumeOperation, one)).toBe(false);
    await house.ledger.fill(house.pool(replayPool));
    const row = (await house.row(one.job.id))!;
    expect(row.state).toBe('queued');
    expect(await run('recover', { ...one, job: { ...one.job, run: row.run } })).toEqual({ kind: 'done' });
    expect(await stateOf(one)).toEqual({ state: 'ended', done: 25 });
  });

  test.each(['running', 'paused'])('called off while %s it ends, and what it has not reached stays failed', async (state) => {
    await make({ count: 25 });
    const one = await asked('recover');
    await step(one);
    if (state === 'paused') await control(pauseOperation, one);
    expect(await calledOff(one)).toBe(true);
    expect(await calledOff(one)).toBe(false);
    await expect(step(one)).rejects.toBeInstanceOf(Superseded);
    expect(await run('recover', one)).toEqual({ kind: 'stale' });
    expect(await counts()).toEqual({ failed: 15, pending: 10 });
    expect(await house.row(one.job.id)).toMatchObject({ state: 'done', error: { code: 'cancelled' } });
    expect(await checkJobs(house.database)).toEqual([]);
  });
});

test('conservation: whatever happens between the steps, each delivery of the range has one new try an operation', async () => {
  const event = fc.constantFrom('step', 'run', 'pause', 'resume', 'deliver', 'fail', 'twice');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom('best_effort' as const, 'per_subject' as const),
      fc.array(event, { maxLength: 12 }),
      async (count, ordering, events) => {
        await house.reset('webhook_endpoints', 'events');
        endpointId = (await endpoint(house.ledger.transact, house.organizationId, { ordering })).id;
        const subjects = [uuidv7(), uuidv7()];
        const failed: string[] = [];
        for (let index = 0; index < count; index += 1) failed.push(...(await make({ subjectId: subjects[index % 2] })));
        const one = await asked('recover');
        const current = async (): Promise<Asked> => ({ ...one, job: { ...one.job, run: (await house.row(one.job.id))!.run } });
        const quietly = (work: Promise<unknown>) => work.catch((error) => expect(error).toBeInstanceOf(Superseded));
        for (const what of events) {
          if (what === 'step') await quietly(step(await current(), 3));
          if (what === 'twice') await Promise.all([quietly(step(await current(), 3)), quietly(step(await current(), 3))]);
          if (what === 'run') await run('recover', await current());
          if (what === 'pause') await control(pauseOperation, one).catch(() => undefined);
          if (what === 'resume') await control(resumeOperation, one).catch(() => undefined);
          if (what === 'deliver') await deliverAll();
          if (what === 'fail') await deliverAll(() => 500);
        }
        await control(resumeOperation, one).catch(() => undefined);
        await house.ledger.fill(house.pool(replayPool));
        await run('recover', await current());
        await deliverAll();
        // What failed above waits for its second try, and with it what is behind it in its lane.
        while ((await jobsOf(failed)).length > 0) {
          await makeDue(house, { name: 'webhooks.deliver', state: 'queued' });
          await deliverAll();
        }
        const marked = (await attempts(failed)).filter(({ trigger }) => trigger === 'recover').map((row) => row.delivery_id);
        expect(marked.sort()).toEqual([...failed].sort());
        expect(await stateOf(one)).toEqual({ state: 'ended', done: count });
        expect(await checkJobs(house.database)).toEqual([]);
      },
    ),
    { numRuns: 15 },
  );
}, 240_000);
