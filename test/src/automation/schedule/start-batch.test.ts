import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Concurrency, Definition } from '../../../../src/automation/definition/definition.ts';
import { ruleLock } from '../../../../src/automation/jobs.ts';
import { type Due, locksOfRestarts, startBatch, type TickedRule } from '../../../../src/automation/schedule/start-batch.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { openRuleHouse, type RuleHouse } from '../../../support/evaluations.ts';
import { contact } from '../../../support/factories/contact.ts';
import { lockWaiters } from '../../../support/rules/database-locks.ts';
import { waitFor } from '../../../support/wait-for.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

async function ticked(concurrency: Concurrency) {
  const parts: Partial<Definition> = { trigger: { type: 'schedule', cron: '0 9 * * *' }, concurrency };
  const id = await at.rule(parts);
  const definition = { conditions: null, exit_when: null, limits: {}, steps: [], ...parts } as unknown as Definition;
  const rule: TickedRule = { id, version: 1, mode: 'live', definition };
  const who = await contact(at.house.em(), at.organization, { name: 'Ada' });
  const due = (day: number): Due => ({
    ...{ subjectType: 'contact', subjectId: who.id, contactId: who.id },
    occursAt: new Date(Date.UTC(2026, 0, day, 9)),
  });
  const own = ownRows(at.house.database, at.organization);
  const tick = async (day: number) =>
    at.transact({ locks: [ruleLock(id), ...(await locksOfRestarts(own, rule, [due(day)]))] }, (tx) =>
      startBatch(tx, rule, [due(day)]),
    );
  return { id, tick, who: who.id };
}

test.each<[Concurrency, string[]]>([
  ['restart', ['cancelled', 'queued']],
  ['skip', ['queued']],
  ['each', ['queued', 'queued']],
])('a moment that is met again, as after a publication in its midst, leaves its run alone: %s', async (concurrency, states) => {
  const { id, tick } = await ticked(concurrency);
  const [first] = await tick(1);
  expect(await tick(1)).toEqual([]);
  expect(await at.runs(id)).toMatchObject([{ id: first, state: 'queued' }]);
  expect(await at.held(id)).toEqual([]);
  await tick(2);
  expect((await at.runs(id)).map(({ state }) => state)).toEqual(states);
});

test('a run of the person that is retried at the same moment is met at the next look, and the moment is held back', async () => {
  const { id, tick, who } = await ticked('skip');
  const failed = await at.run({ rule: id, subject: who, state: 'failed', isExclusive: true });
  const other = await at.house.database.pool.connect();
  try {
    await other.query('begin');
    await other.query(`update automation_runs set state = 'queued' where id = $1`, [failed]);
    const ticking = tick(1);
    await waitFor('the tick to wait for it', async () => (await lockWaiters(at.house.em())) > 0);
    await other.query('commit');
    expect(await ticking).toEqual([]);
  } finally {
    other.release();
  }
  expect(await at.held(id)).toEqual([{ reason: 'subject_busy', count: 1 }]);
});
