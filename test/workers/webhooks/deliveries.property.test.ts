import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversationUpdated } from '../../../src/platform/events/catalogue.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { drainPool, endpointPool, setPool } from '../../../src/platform/ledger/pools.ts';
import { endpointWidth } from '../../../src/webhooks/endpoints.ts';
import type { HeldPolicy } from '../../../src/webhooks/switch-endpoint.ts';
import { type Answer, Deliveries } from '../../support/deliveries-at-work.ts';
import { endpoint } from '../../support/factories/endpoint.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { attemptRows } from '../../support/work/webhooks.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

async function open(ordering: 'best_effort' | 'per_subject'): Promise<Deliveries> {
  await house.reset('webhook_endpoints', 'events');
  const eventTypes = [conversationUpdated.type];
  return new Deliveries(house, (await endpoint(house.ledger.transact, house.organizationId, { ordering, eventTypes })).id);
}

const count = fc.integer({ min: 1, max: 4 });
const place = fc.nat(20);
const held = fc.constantFrom<HeldPolicy>('keep', 'release', 'drop');
const failure = fc.constantFrom<Answer>('error', 'busy', 'timeout', 'reset', 'reset', 'gone');
const some = { count, place, held };
const kindOf = <Kind extends string>(weight: number, kind: Kind) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), answer: fc.constant<Answer>('ok'), ...some }),
});
/** What happens whether workers are slow or dead. */
const steps = [
  kindOf(5, 'emit'),
  kindOf(6, 'begin'),
  kindOf(3, 'answer'),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer' as const), answer: failure, ...some }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('round' as const), answer: failure, ...some }) },
  kindOf(3, 'later'),
  kindOf(2, 'crash'),
  kindOf(1, 'lose'),
  kindOf(1, 'sweep'),
  kindOf(1, 'hasten'),
  kindOf(1, 'wear out'),
  kindOf(1, 'off'),
  kindOf(2, 'on'),
];
type Step = { kind: string; answer: Answer; count: number; place: number; held: HeldPolicy };

const step = (kind: string, more: Partial<Step> = {}): Step => ({
  kind,
  answer: 'ok',
  count: 4,
  place: 0,
  held: 'keep',
  ...more,
});
/** Place 2: a round answers all that are at work, the first of each subject. Those fail at their last attempt, and the rest is cancelled. */
const wayThrough = [
  step('emit'),
  step('round', { answer: 'error', place: 2 }),
  step('wear out'),
  step('round', { answer: 'reset', place: 2 }),
  step('off', { held: 'drop' }),
  step('begin'),
];

/** Time passes, whatever is due begins, and some of it is answered. */
async function round(world: Deliveries, answer: Answer, place: number) {
  await world.moveOn();
  await world.fill();
  await world.workers.begin(10, place);
  await world.workers.end(1 + (place % 3), place, answer);
}

async function take(world: Deliveries, subjects: string[], { kind, answer, count, place, held }: Step) {
  const { workers } = world;
  // At once: each transaction may have seen the room that the others take.
  if (kind === 'emit')
    await Promise.all(subjects.map((subject, index) => world.emit(subject, index === place % subjects.length ? count : 1)));
  if (kind === 'begin') await workers.begin(count, place);
  if (kind === 'answer') await workers.end(count, place, answer);
  if (kind === 'round') await round(world, answer, place);
  if (kind === 'later') await world.moveOn();
  if (kind === 'crash') workers.crash(count, place);
  if (kind === 'stall') workers.stall(place);
  if (kind === 'lose') workers.lose(count, place);
  if (kind === 'sweep') await world.sweep();
  if (kind === 'hasten') await world.hasten(place);
  if (kind === 'wear out') await world.wearOut();
  if (kind === 'off') await world.switchOff(held);
  if (kind === 'on') await world.switchOn(held);
  await world.fill();
}

/** Whoever is told of these is told of them once and for good. */
async function settled(world: Deliveries) {
  await world.finishAll();
  const states = await world.states();
  expect(states.filter(({ state }) => state === 'pending')).toEqual([]);
  expect(states.filter(({ state, isAccepted }) => state === 'succeeded' && !isAccepted)).toEqual([]);
  expect(await checkJobs(house.database)).toEqual([]);
}

const bounds = { numRuns: numRuns({ default: 3, deep: 25 }) };
const limitMs = 240_000;

test(
  'per subject: whatever fails, is lost, switched and tried again, an event is sent only once all before it are over',
  async () => {
    const many = fc.array(fc.oneof(...steps, kindOf(1, 'stall')), { minLength: 10, maxLength: 50 });
    const seen = { retried: 0, failed: 0, cancelled: 0 };
    await fc.assert(
      fc.asyncProperty(many, async (script) => {
        const world = await open('per_subject');
        const subjects = [uuidv7(), uuidv7()];
        for (const step of script) await take(world, subjects, step);
        await settled(world);
        expect(world.faults).toEqual([]);
        for (const seqs of world.accepted.values()) expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
        for (const { state } of await world.states()) if (state === 'failed' || state === 'cancelled') seen[state] += 1;
        seen.retried += await attemptRows.count(house, { number: { $gt: 1 } });
      }),
      { ...bounds, examples: [[wayThrough]] },
    );
    // The first script reaches each of them.
    expect(Object.entries(seen).filter(([, times]) => times === 0)).toEqual([]);
  },
  limitMs,
);

test(
  'whoever dies at whatever moment: no more requests to an endpoint at once than the width of its pool, and its room comes back',
  async () => {
    const widths = fc.integer({ min: 1, max: 3 });
    await fc.assert(
      fc.asyncProperty(widths, fc.array(fc.oneof(...steps), { minLength: 10, maxLength: 50 }), async (width, script) => {
        const world = await open('best_effort');
        const pool = endpointPool(world.endpointId);
        await setPool(house.em(), house.pool(pool), width, null);
        const subjects = [uuidv7(), uuidv7(), uuidv7()];
        for (const each of script) await take(world, subjects, each);
        await settled(world);
        expect(world.workers.most.get(pool) ?? 0).toBeLessThanOrEqual(width);
        expect(world.workers.most.get(drainPool(world.endpointId)) ?? 0).toBeLessThanOrEqual(endpointWidth);
        await world.emit(uuidv7(), width + 2);
        await world.fill();
        await world.workers.begin(width + 2, 0);
        expect(world.workers.busy).toBe(width);
        await settled(world);
      }),
      bounds,
    );
  },
  limitMs,
);
