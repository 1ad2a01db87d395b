import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { setPool } from '../../../../src/platform/ledger/pools.ts';
import { type House, openHouse, playing, toyHandler } from '../../../support/house.ts';
import { playJob } from '../../../support/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

type Ref = { id: string; run: number; stalls: number };
type End = 'finish' | 'again';
type AtWork = { ref: Ref; end(how: End): void; ended: Promise<unknown> };

/** A queue and its workers: runs wait, are at work until the test ends them, or die with their worker and are taken over. */
class Workers {
  private readonly waiting: Ref[] = [];
  private readonly atWork: AtWork[] = [];
  /** The most different jobs that were at work at any moment. */
  most = 0;

  private collect() {
    this.waiting.push(...house.dispatched.splice(0).map(({ id, run }) => ({ id, run, stalls: 0 })));
  }

  async begin(count: number, place: number) {
    this.collect();
    const refs = Array.from({ length: Math.min(count, this.waiting.length) }, () => {
      const [ref] = this.waiting.splice(place % this.waiting.length, 1);
      return ref!;
    });
    await Promise.all(refs.map((ref) => this.start(ref)));
  }

  private start(ref: Ref): Promise<void> {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<End>();
    const handler = toyHandler(playJob, async (payload, context) => {
      this.atWork.push({ ref, end: gate.resolve, ended });
      this.most = Math.max(this.most, new Set(this.atWork.map((each) => each.ref.id)).size);
      begin();
      const how = await gate.promise;
      return how === 'finish' ? playing().run(payload, context) : context.again({ code: 'no', message: 'no' });
    });
    const ended = house.run(handler, { id: ref.id, run: ref.run, stalledCounter: ref.stalls }).then(({ kind }) => {
      // BullMQ gives the same run out again, later.
      if (kind === 'again' || kind === 'early') this.waiting.push(ref);
      begin();
    });
    return begun;
  }

  async end(count: number, place: number, how: End) {
    const some = Array.from({ length: Math.min(count, this.atWork.length) }, () => this.take(place));
    for (const { end } of some) end(how);
    await Promise.all(some.map(({ ended }) => ended));
  }

  /** SIGKILL: it writes nothing any more, and BullMQ takes its run for stalled. */
  crash(count: number, place: number) {
    for (let left = Math.min(count, this.atWork.length); left > 0; left -= 1) {
      const { ref } = this.take(place);
      this.waiting.push({ ...ref, stalls: ref.stalls + 1 });
    }
  }

  private take(place: number): AtWork {
    return this.atWork.splice(place % this.atWork.length, 1)[0]!;
  }

  async finishAll() {
    for (let rounds = 0; rounds < 500; rounds += 1) {
      await this.end(1_000, 0, 'finish');
      await house.ledger.fill(house.pool('toys'));
      await this.begin(1_000, 0);
      const rows = await house.rows();
      if (rows.every(({ state }) => state === 'failed')) return;
      await sleep(5);
    }
    throw new Error(`Not finished: ${JSON.stringify(await house.rows())}`);
  }
}

const count = fc.integer({ min: 1, max: 5 });
const place = fc.nat(20);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('accept' as const), count, place }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('begin' as const), count, place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('finish' as const, 'again' as const), count, place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const), count, place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('fill' as const, 'sweep' as const), count, place }) },
);

async function take(workers: Workers, { kind, count, place }: { kind: string; count: number; place: number }) {
  // Born at once: each may have seen the room that the others take.
  if (kind === 'accept') await Promise.all(Array.from({ length: count }, () => house.accept({ pool: 'toys' })));
  if (kind === 'begin') await workers.begin(count, place);
  if (kind === 'finish' || kind === 'again') await workers.end(count, place, kind);
  if (kind === 'crash') workers.crash(count, place);
  if (kind === 'fill') await Promise.all(Array.from({ length: count }, () => house.ledger.fill(house.pool('toys'))));
  if (kind === 'sweep') await house.sweep();
}

test('whoever dies at whatever moment: no more runs of a pool are at work than its width, and each row comes to its end once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 5, maxLength: 40 }), async (width, steps) => {
      await house.reset();
      await setPool(house.em(), house.pool('toys'), width, null);
      const workers = new Workers();
      for (const each of steps) await take(workers, each);
      await workers.finishAll();
      expect(workers.most).toBeLessThanOrEqual(width);
      const toys = await house.sql<{ status: string; effects: number }>('select status, effects from toys');
      expect(toys.filter(({ status, effects }) => effects !== (status === 'done' ? 1 : 0) || status === 'open')).toEqual([]);
      expect(await checkJobs(house.database)).toEqual([]);
    }),
    { numRuns: 25, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false },
  );
});
