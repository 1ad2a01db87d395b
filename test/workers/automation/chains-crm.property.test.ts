import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Concurrency, Step } from '../../../src/automation/definition/definition.ts';
import { maxChain } from '../../../src/automation/limits.ts';
import { dealCreated, dealUpdated, taskCreated, taskUpdated } from '../../../src/platform/events/crm-events.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { evaluateEvent } from '../../../workers/automation/evaluate.ts';
import { runRule } from '../../../workers/automation/run.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { pipeline } from '../../support/factories/pipeline.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import type { ToyHandler } from '../../support/house.ts';
import { taskRows, taskTargetRows } from '../../support/work/crm.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

/** Rules that change, move and create the deals and tasks that begin them, worked by the handlers that there are. */
let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
  await pipeline(at.house.em(), at.organization);
});
afterAll(() => at.close());

/** What each rule does about its deal or its task: in whatever state that is, it changes. */
const changes = {
  deal: {
    update: { type: 'update_deal', title: 'Revision {{ deal.revision }}' },
    move: { type: 'move_deal', outcome: '{% if deal.status == "open" %}won{% else %}open{% endif %}' },
  },
  task: {
    update: { type: 'update_task', title: 'Revision {{ task.revision }}' },
    move: { type: 'update_task', status: '{% if task.status == "done" %}open{% else %}done{% endif %}' },
  },
} as const;
const creations = { deal: { type: 'create_deal', title: 'One more' }, task: { type: 'create_task', title: 'One more' } } as const;
const triggers = {
  deal: ['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.closed'],
  task: ['task.created', 'task.updated', 'task.completed'],
} as const;
const kinds = ['deal', 'task'] as const;

type Given = {
  kind: 'deal' | 'task';
  event: number;
  updates: boolean;
  moves: boolean;
  creates: 'deal' | 'task' | undefined;
  concurrency: Concurrency;
  mayReenter: boolean;
  max: number;
};
const rule: fc.Arbitrary<Given> = fc.record({
  kind: fc.constantFrom(...kinds),
  event: fc.nat(11),
  updates: fc.boolean(),
  moves: fc.boolean(),
  creates: fc.constantFrom('deal', 'task', undefined),
  concurrency: fc.constantFrom<Concurrency>('skip', 'each', 'restart'),
  mayReenter: fc.boolean(),
  max: fc.constantFrom(1, 3),
});
const eventOf = ({ kind, event }: Given) => triggers[kind][event % triggers[kind].length]!;

/** Each deal begins the next one, and so on: nothing but the limit of a chain ends it. */
const forEver: Given = {
  ...{ kind: 'deal', event: 0, updates: false, moves: false, creates: 'deal' },
  ...{ concurrency: 'each', mayReenter: true, max: 3 },
};
/** Two that answer each other's effect. */
const toAndFro: Given[] = [
  { ...forEver, event: 1, moves: true, creates: undefined },
  { ...forEver, event: 2, updates: true, creates: 'task' },
  { ...forEver, kind: 'task', moves: true, creates: 'task' },
];

type Run = { id: string; rule_id: string; subject_id: string; event_id: string; chain: string[]; state: string };
const handlers: Record<string, unknown> = { 'automation.evaluate': evaluateEvent, 'automation.run': runRule };

/** Until nothing is left to do. */
async function drain(): Promise<void> {
  for (let done = 0; ; done += 1) {
    const due = { state: { $in: ['queued', 'waiting'] as const }, name: { $like: 'automation.%' } };
    const [job] = await jobRows.all(at, due, ['id', 'run', 'name'], { seq: 'asc' });
    if (!job) return;
    expect(done).toBeLessThan(3_000);
    await makeDue(at, job.id);
    await at.house.run(handlers[job.name] as ToyHandler, job);
  }
}

function stepsOf({ kind, updates, moves, creates }: Given): Step[] {
  const steps: Step[] = [];
  if (updates) steps.push({ id: 'update', ...changes[kind].update });
  if (moves) steps.push({ id: 'move', ...changes[kind].move });
  if (creates) steps.push({ id: 'create', ...creations[creates] });
  return steps.length > 0 ? steps : [{ id: 'end', type: 'stop' }];
}

/** A deal and a task that somebody made and changed. */
async function begin(): Promise<void> {
  const [deal, task] = [uuidv7(), uuidv7()];
  await at.sql(
    `insert into deals (organization_id, id, title, status, currency_code, home_currency_at_write, pipeline_id, stage_id)
     select $1, $2, 'Sofa', 'open', 'EUR', 'EUR', pipeline_id, id from pipeline_stages where organization_id = $1 and name = 'first'`,
    [at.organization, deal],
  );
  await taskRows.add(at, { organization_id: at.organization, id: task, title: 'Call' });
  const of = { organization_id: at.organization };
  const aDeal = { ...dealCreated.example, ...of, deal_id: deal };
  const aTask = { ...taskCreated.example, ...of, task_id: task };
  await at.emit(dealCreated, aDeal as never);
  await at.emit(taskCreated, aTask as never);
  await at.emit(dealUpdated, { ...aDeal, changed: ['title'] } as never);
  await at.emit(taskUpdated, { ...aTask, changed: ['title'] } as never);
}

const countOf = async (text: string) => (await at.sql<{ count: number }>(`select count(*)::int as count ${text}`))[0]!.count;

test('rules that change, move and create deals and tasks end within the limits, and each effect is there once', async () => {
  let longest = 0;
  const held = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { minLength: 1, maxLength: 3 }), async (given) => {
      await at.reset();
      await taskTargetRows.remove(at);
      for (const table of ['crm_tasks', 'deals', 'automation_steps']) await at.sql(`delete from ${table}`);
      const ids: string[] = [];
      for (const one of given) {
        const limits = { starts_per_hour: one.max, allow_reentry: one.mayReenter };
        const trigger = { type: 'event', event: eventOf(one) } as const;
        ids.push(await at.rule({ trigger, steps: stepsOf(one), concurrency: one.concurrency, limits }));
      }
      await begin();
      await drain();

      const runs = (await Promise.all(ids.map((id) => at.runs(id)))) as unknown as Run[][];
      const events = new Map(
        (await eventRows.all(at, {}, ['id', 'type', 'cause', 'chain'], { seq: 'asc' })).map((one) => [one.id, one]),
      );
      for (const [index, ofRule] of runs.entries()) {
        const { mayReenter, max } = given[index]!;
        const ofSubject = new Map<string, number>();
        for (const { chain, state, subject_id: subject, event_id: event } of ofRule) {
          expect(state).toMatch(/^(succeeded|cancelled)$/);
          // It began with an effect of the rules before it in its chain.
          expect(chain).toEqual([...(events.get(event)!.chain ?? []), ids[index]]);
          expect(chain.length).toBeLessThanOrEqual(maxChain);
          if (!mayReenter) expect(chain.slice(0, -1)).not.toContain(ids[index]);
          ofSubject.set(subject, (ofSubject.get(subject) ?? 0) + 1);
          longest = Math.max(longest, chain.length);
        }
        expect(Math.max(0, ...ofSubject.values())).toBeLessThanOrEqual(max);
        // Each event that the rule begins with began a run, or was held back and counted.
        const counts = await at.held(ids[index]!);
        for (const { reason } of counts) held.add(reason);
        const matching = [...events.values()].filter(({ type }) => type === eventOf(given[index]!)).length;
        expect(ofRule.length + counts.reduce((sum, { count }) => sum + count, 0)).toBe(matching);
      }

      // What was created is what the steps say that were done, each by its run.
      const done = (type: string) => countOf(`from automation_steps where state = 'done' and type = '${type}'`);
      expect(await countOf('from deals')).toBe(1 + (await done('create_deal')));
      expect(await countOf('from crm_tasks')).toBe(1 + (await done('create_task')));
      const chains = new Map(runs.flat().map(({ id, chain }) => [`run:${id}`, chain]));
      for (const { type, cause, chain } of events.values())
        if (cause?.startsWith('run:') && /^(deal|task)\./.test(type)) expect(chain).toEqual(chains.get(cause));
    }),
    { numRuns: numRuns({ default: 4, deep: 20 }), examples: [[[forEver]], [toAndFro], [[{ ...forEver, mayReenter: false }]]] },
  );
  // By the examples, at least.
  expect(longest).toBe(maxChain);
  expect([...held]).toEqual(expect.arrayContaining(['loop', 'chain_too_long', 'too_often']));
});
