import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runRule } from '../../../workers/automation/run.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import type { ToyHandler } from '../../support/house.ts';
import { countRoundTrips } from '../../support/round-trips.ts';

let at: RuleHouse;
let trips: ReturnType<typeof countRoundTrips>;
beforeAll(async () => {
  at = await openRuleHouse();
  trips = countRoundTrips(at.house.database.pool);
});
afterAll(() => at.close());

const steps = [
  { id: 'tag', type: 'add_tag', tag: 'vip' },
  { id: 'task', type: 'create_task', title: 'Call {{ contact.name }}' },
  { id: 'deal', type: 'create_deal', title: 'Request of {{ contact.name }}', amount_minor: '10000', currency_code: 'USD' },
];

/** As it is, so that one more is noticed. The first of each learns what is kept: the tag, the version, the room for runs. */
test('an evaluation and a run of three database steps take this many round trips', async () => {
  const rule = await at.rule({ steps });
  const counted = { evaluate: Number.POSITIVE_INFINITY, run: Number.POSITIVE_INFINITY };
  for (let time = 0; time < 5; time += 1) {
    const who = await contact(at.house.em(), at.organization, { name: 'Ada' });
    const event = await at.updated(who.id);
    counted.evaluate = Math.min(counted.evaluate, await trips.during(() => at.evaluate(event)));
    const { job_id } = (await at.runs(rule)).at(-1)!;
    const work = () => at.house.run(runRule as unknown as ToyHandler, { id: job_id!, run: 1 });
    counted.run = Math.min(counted.run, await trips.during(work));
    expect((await at.runs(rule)).at(-1)!.state).toBe('succeeded');
  }
  expect(counted).toEqual({ evaluate: 5, run: 3 });
});
