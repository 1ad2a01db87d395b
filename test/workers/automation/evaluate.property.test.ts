import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Concurrency } from '../../../src/automation/definition/definition.ts';
import { contactCreated, contactUpdated } from '../../../src/platform/events/catalogue.ts';
import type { Cause } from '../../../src/platform/events/cause.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { runRows } from '../../support/work/automation.ts';

/** Rules whose runs do what begins rules, themselves too, against a model of what may start. */
let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

const events = { 'contact.updated': contactUpdated, 'contact.created': contactCreated };
type Type = keyof typeof events;
/** `effects`: what a run of it does; `stays`: its run lives on, as one that waits. */
type Given = { on: Type; effects: Type[]; stays: boolean; concurrency: Concurrency; mayReenter: boolean; max: number };
type ModelRun = { chain: number[]; isLive: boolean };

const type = fc.constantFrom<Type>('contact.updated', 'contact.created');
const rule: fc.Arbitrary<Given> = fc.record({
  on: type,
  effects: fc.array(type, { maxLength: 2 }),
  stays: fc.boolean(),
  concurrency: fc.constantFrom<Concurrency>('skip', 'each', 'restart'),
  mayReenter: fc.boolean(),
  max: fc.integer({ min: 1, max: 4 }),
});

const again: Given = {
  ...{ on: 'contact.updated', effects: ['contact.updated'], stays: false },
  ...{ concurrency: 'each', mayReenter: true, max: 4 },
};
/** What holds a rule back, one example each. */
const examples: Record<string, Given[]> = {
  loop: [{ ...again, mayReenter: false }],
  too_often: [{ ...again, max: 1 }],
  subject_busy: [{ ...again, stays: true, concurrency: 'skip' }],
  chain_too_long: [
    { ...again, effects: ['contact.created'] },
    { ...again, on: 'contact.created' },
  ],
};

/** Why a rule does not start now; undefined: it does. */
function heldIn(given: Given, index: number, runs: ModelRun[], chain: number[]): string | undefined {
  if (chain.includes(index) && !given.mayReenter) return 'loop';
  if (chain.length >= 5) return 'chain_too_long';
  if (runs.length >= given.max) return 'too_often';
  return given.concurrency === 'skip' && runs.some(({ isLive }) => isLive) ? 'subject_busy' : undefined;
}

async function play(rules: Given[]) {
  await at.reset();
  const { id: who } = await contact(at.house.em(), at.organization);
  const ids = await Promise.all(
    rules.map(({ on, concurrency, mayReenter, max }) =>
      at.rule({
        trigger: { type: 'event', event: on },
        concurrency,
        limits: { starts_per_hour: max, allow_reentry: mayReenter },
      }),
    ),
  );
  const model = rules.map(() => ({ runs: [] as ModelRun[], held: new Map<string, number>() }));
  const data = { contact_id: who, organization_id: at.organization, name: 'Ada', changed: ['name'] };
  const queue: { type: Type; chain: number[]; cause?: Cause }[] = [{ type: 'contact.updated', chain: [] }];
  const done: string[] = [];
  let steps = 0;
  for (let next = queue.shift(); next; next = queue.shift()) {
    steps += 1;
    expect(steps).toBeLessThan(100);
    const event = await at.emit(events[next.type], data, next.cause);
    if (rules.some(({ on }) => on === next!.type)) await at.evaluate(event);
    for (const [index, given] of rules.entries()) {
      const { runs, held } = model[index]!;
      if (given.on !== next.type) continue;
      const reason = heldIn(given, index, runs, next.chain);
      if (reason) held.set(reason, (held.get(reason) ?? 0) + 1);
      else {
        if (given.concurrency === 'restart') for (const run of runs) run.isLive = false;
        runs.push({ chain: [...next.chain, index], isLive: given.stays });
      }
    }
    for (const { id, chain } of await at.runsBut(done)) {
      done.push(id);
      const places = chain.map((one) => ids.indexOf(one));
      const given = rules[places.at(-1)!]!;
      if (!given.stays) await runRows.change(at, id, { state: 'succeeded' });
      for (const effect of given.effects) queue.push({ type: effect, chain: places, cause: { by: `run:${id}`, chain } });
    }
  }
  return { ids, model };
}

test('rules that begin each other end, and start as often as the model says', async () => {
  const reached = new Set<string>();
  let begun = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 4 }), async (rules) => {
      const { ids, model } = await play(rules);
      for (const [index, id] of ids.entries()) {
        const [runs, held] = [await at.runs(id), await at.held(id)];
        const wanted = model[index]!;
        expect(runs.map(({ chain }) => chain.map((one) => ids.indexOf(one)))).toEqual(wanted.runs.map(({ chain }) => chain));
        expect(runs.map(({ state }) => state === 'queued')).toEqual(wanted.runs.map(({ isLive }) => isLive));
        expect(Object.fromEntries(held.map(({ reason, count }) => [reason, count]))).toEqual(Object.fromEntries(wanted.held));
        expect((await at.told(id)).map(({ count }) => count)).toEqual(held.map(() => 1));
        begun += runs.length;
        for (const { reason } of held) reached.add(reason);
      }
    }),
    { numRuns: numRuns({ default: 8, deep: 40 }), unbiased: true, examples: Object.values(examples).map((rules) => [rules]) },
  );
  // By the examples, at least.
  expect(begun).toBeGreaterThan(0);
  expect([...reached].sort()).toEqual(Object.keys(examples).sort());
});
