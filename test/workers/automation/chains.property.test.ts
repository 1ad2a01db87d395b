import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Concurrency, Step } from '../../../src/automation/definition/definition.ts';
import { maxChain, maxStartsAnHour } from '../../../src/automation/limits.ts';
import { evaluateEvent } from '../../../workers/automation/evaluate.ts';
import { runRule } from '../../../workers/automation/run.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import type { ToyHandler } from '../../support/house.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

/** Rules that change what begins them, worked by the handlers that there are. */
let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

type Given = { counts: boolean; tags: boolean; starts: number; concurrency: Concurrency; mayReenter: boolean; max: number };
const rule: fc.Arbitrary<Given> = fc.record({
  counts: fc.boolean(),
  tags: fc.boolean(),
  starts: fc.integer({ min: -1, max: 2 }),
  concurrency: fc.constantFrom<Concurrency>('skip', 'each', 'restart'),
  mayReenter: fc.boolean(),
  max: fc.constantFrom(2, maxStartsAnHour),
});

/** Nothing but the limit of a chain ends it. */
const forEver: Given = { counts: true, tags: false, starts: -1, concurrency: 'each', mayReenter: true, max: maxStartsAnHour };

type Run = { id: string; rule_id: string; chain: string[]; state: string };
const handlers: Record<string, unknown> = { 'automation.evaluate': evaluateEvent, 'automation.run': runRule };

/** Until nothing is left to do. The number of jobs. */
async function drain(): Promise<number> {
  for (let done = 0; ; done += 1) {
    const [job] = await jobRows.all(at, { state: { $in: ['queued', 'waiting'] } }, ['id', 'run', 'name', 'state'], {
      seq: 'asc',
    });
    if (!job) return done;
    expect(done).toBeLessThan(500);
    await makeDue(at, job.id);
    await at.house.run(handlers[job.name] as ToyHandler, job);
  }
}

test('rules that change what begins them, and start each other, end within the limits, and each effect tells its cause', async () => {
  let longest = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 3 }), async (given) => {
      await at.reset();
      const { id: who } = await contact(at.house.em(), at.organization);
      await contactRows.change(at, who, { custom_fields: { n: 0 } });
      const ids: string[] = [];
      for (const { counts, tags, starts, concurrency, mayReenter, max } of given) {
        const steps: Step[] = [];
        const next = '{{ contact.custom_fields.n | plus: 1 }}';
        if (counts) steps.push({ id: 'count', type: 'set_field', field: 'custom_fields.n', value: next });
        if (tags) steps.push({ id: 'tag', type: 'add_tag', tag: 't{{ contact.custom_fields.n }}' });
        const started = ids[starts];
        if (started) steps.push({ id: 'start', type: 'start_rule', rule_id: started });
        const limits = { starts_per_hour: max, allow_reentry: mayReenter };
        ids.push(await at.rule({ steps, concurrency, limits }));
      }
      await at.updated(who);
      await drain();
      const runs = (await Promise.all(ids.map((id) => at.runs(id)))) as unknown as Run[][];
      for (const [index, ofRule] of runs.entries()) {
        const { mayReenter, max } = given[index]!;
        expect(ofRule.length).toBeGreaterThan(0);
        expect(ofRule.length).toBeLessThanOrEqual(max);
        for (const { chain, state } of ofRule) {
          expect(chain.length).toBeLessThanOrEqual(maxChain);
          expect(chain.at(-1)).toBe(ids[index]);
          if (!mayReenter) expect(chain.slice(0, -1)).not.toContain(ids[index]);
          expect(['succeeded', 'cancelled', 'failed']).toContain(state);
          longest = Math.max(longest, chain.length);
        }
      }
      // A run does not begin its own rule anew, which would end it.
      const codes = await at.sql<{ code: string }>(`select error->>'code' as code from automation_runs where state = 'failed'`);
      for (const { code } of codes) expect(code).toBe('conflict');
      const chains = new Map(runs.flat().map(({ id, chain }) => [`run:${id}`, chain]));
      const effects = await eventRows.all(at, { type: { $in: ['contact.updated'] }, cause: { $like: 'run:%' } }, [
        'cause',
        'chain',
      ]);
      for (const { cause, chain } of effects) expect(chain).toEqual(chains.get(cause!));
      // A chain that went on began with an effect, or by the step of a run that is there.
      for (const { chain } of runs.flat())
        if (chain.length > 1) expect([...chains.values()].map(String)).toContain(String(chain.slice(0, -1)));
    }),
    { numRuns: numRuns({ default: 2, deep: 15 }), examples: [[[forEver]]] },
  );
  expect(longest).toBe(maxChain);
});
