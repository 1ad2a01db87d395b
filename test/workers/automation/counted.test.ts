import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { timeShares } from '../../../src/platform/load/time-shares.ts';
import { evaluateEvent } from '../../../workers/automation/evaluate.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { contact } from '../../support/factories/contact.ts';
import type { ToyHandler } from '../../support/house.ts';

let at: RuleHouse;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());

test('an evaluation begins once what its organization had of the worker is paid for', async () => {
  const who = await contact(at.house.em(), at.organization, { name: 'Ada' });
  const rule = await at.rule();
  const event = await at.updated(who.id);
  const { id } = (await at.evaluationOf(event))!;
  const run = () => at.house.run(evaluateEvent as unknown as ToyHandler, { id });
  timeShares.charge(at.organization, 60_000);
  // Back to the queue: nothing of it has begun, and another organization's takes the place.
  expect(await run()).toEqual({ kind: 'early', delayMs: expect.any(Number) });
  expect(await at.runs(rule)).toEqual([]);
  expect((await at.evaluationOf(event))!.state).toBe('queued');
  while (timeShares.owedMs(at.organization) > 1_000) await new Promise((resolve) => setTimeout(resolve, 50));
  // A short rest is taken here.
  expect(await run()).toEqual({ kind: 'done' });
  expect(timeShares.owedMs(at.organization)).toBe(0);
  expect(await at.runs(rule)).toHaveLength(1);
});
