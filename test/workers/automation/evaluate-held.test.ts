import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Definition } from '../../../src/automation/definition/definition.ts';
import { ruleLock } from '../../../src/automation/jobs.ts';
import type { Cause } from '../../../src/platform/events/cause.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { type ContactMade, contact } from '../../support/factories/contact.ts';
import { heldRows, waitRows } from '../../support/work/automation.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { movedBack } from '../../support/work/rows.ts';

let at: RuleHouse;
let who: ContactMade;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(async () => {
  await at.reset();
  who = await contact(at.house.em(), at.organization);
});

const updated = (cause?: Cause) => at.updated(who.id, cause);
const effectOf = (chain: string[]): Cause => ({ by: `run:${uuidv7()}`, chain });

describe('what is held back makes no run, is counted, and told once an hour', () => {
  type Held = [string, Partial<Definition>, (rule: string) => Cause | undefined, (rule: string) => Promise<unknown>];
  const nothing = async () => {};
  const noCause = () => undefined;
  test.each<Held>([
    ['loop', {}, (rule) => effectOf([uuidv7(), rule]), nothing],
    ['chain_too_long', {}, () => effectOf(Array.from({ length: 5 }, () => uuidv7())), nothing],
    ['too_often', { limits: { starts_per_hour: 1 } }, noCause, (rule) => at.run({ rule, subject: who.id })],
    ['subject_busy', { concurrency: 'skip' }, noCause, (rule) => at.run({ rule, subject: who.id, state: 'running' })],
  ])('%s', async (reason, definition, cause, before) => {
    const rule = await at.rule(definition);
    await before(rule);
    const runs = await at.runs(rule);
    for (let n = 0; n < 3; n += 1) await at.evaluate(await updated(cause(rule)));
    expect(await at.runs(rule)).toEqual(runs);
    expect(await at.held(rule)).toEqual([{ reason, count: 3 }]);
    expect(await at.told(rule)).toEqual([{ reason, count: 1 }]);
    await heldRows.change(at, {}, { told_at: movedBack('told_at', '1 hour') });
    await at.evaluate(await updated(cause(rule)));
    expect(await at.told(rule)).toEqual([
      { reason, count: 1 },
      { reason, count: 3 },
    ]);
  });

  test('once it was told, without the lock of the rule: many subjects of one rule may be busy', async () => {
    const rule = await at.rule({ concurrency: 'skip' });
    await at.run({ rule, subject: who.id, state: 'running' });
    await at.evaluate(await updated());
    const event = await updated();
    await at.transact({ locks: [ruleLock(rule)] }, async () => {
      expect(await at.evaluate(event)).toEqual({ kind: 'done' });
    });
    expect(await at.held(rule)).toEqual([{ reason: 'subject_busy', count: 2 }]);
    expect(await at.told(rule)).toEqual([{ reason: 'subject_busy', count: 1 }]);
  });

  test('beside rules that start', async () => {
    const [loops, starts] = [await at.rule(), await at.rule()];
    await at.evaluate(await updated(effectOf([loops])));
    expect(await at.runs(loops)).toEqual([]);
    expect(await at.runs(starts)).toMatchObject([{ chain: [loops, starts] }]);
    expect(await at.told(loops)).toEqual([{ reason: 'loop', count: 1 }]);
  });
});

describe('rules that answer each other', () => {
  /** What each run does begins the others. The number of runs until nothing follows. */
  async function untilTheyEnd(): Promise<number> {
    let events = [await updated()];
    const done: string[] = [];
    for (let round = 0; events.length > 0 && round < 50; round += 1) {
      for (const event of events) await at.evaluate(event);
      events = [];
      for (const { id, chain } of await at.runsBut(done)) {
        done.push(id);
        events.push(await updated({ by: `run:${id}`, chain }));
      }
    }
    expect(events).toEqual([]);
    return done.length;
  }

  test('end with the first that would start again, and it is told', async () => {
    const rules = [await at.rule(), await at.rule()];
    expect(await untilTheyEnd()).toBe(4);
    for (const rule of rules) {
      expect((await at.runs(rule)).map(({ chain }) => chain.length)).toEqual([1, 2]);
      expect(await at.held(rule)).toEqual([{ reason: 'loop', count: 3 }]);
      expect(await at.told(rule)).toEqual([{ reason: 'loop', count: 1 }]);
    }
  });

  test('end after a chain of five where one may start again', async () => {
    const rule = await at.rule({ limits: { allow_reentry: true } });
    expect(await untilTheyEnd()).toBe(5);
    expect((await at.runs(rule)).map(({ chain }) => chain.length)).toEqual([1, 2, 3, 4, 5]);
    expect(await at.told(rule)).toEqual([{ reason: 'chain_too_long', count: 1 }]);
  });

  test('end at ten starts an hour of each, however many the chains', async () => {
    const limits = { allow_reentry: true };
    const rules = [await at.rule({ limits }), await at.rule({ limits })];
    expect(await untilTheyEnd()).toBe(20);
    for (const rule of rules) {
      expect(await at.runs(rule)).toHaveLength(10);
      expect((await at.told(rule)).map(({ reason }) => reason)).toContain('too_often');
    }
  });
});

describe('a rule that begins again', () => {
  test('cancels the run that lives, with its job and its waits, and begins a new one', async () => {
    const rule = await at.rule({ concurrency: 'restart' });
    await at.evaluate(await updated());
    const [old] = await at.runs(rule);
    await at.wait({ run: old!.id, subject: who.id, event: 'message.new' });
    await at.evaluate(await updated());
    const [before, after] = await at.runs(rule);
    expect(before).toMatchObject({ id: old!.id, state: 'cancelled', reason: 'restarted' });
    expect(after).toMatchObject({ state: 'queued', reason: '', is_exclusive: true });
    expect(await jobRows.all(at, {}, ['subject_id'])).toEqual([{ subject_id: after!.id }]);
    expect(await waitRows.count(at)).toBe(0);
    expect(await at.held(rule)).toEqual([]);
  });

  test('leaves the run that lives alone where the new one is held back', async () => {
    const rule = await at.rule({ concurrency: 'restart', limits: { starts_per_hour: 1 } });
    await at.evaluate(await updated());
    await at.evaluate(await updated());
    expect(await at.runs(rule)).toMatchObject([{ state: 'queued' }]);
    expect(await at.held(rule)).toEqual([{ reason: 'too_often', count: 1 }]);
  });
});
