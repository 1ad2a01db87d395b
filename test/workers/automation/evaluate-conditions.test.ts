import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Conditions } from '../../../src/automation/conditions/conditions.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { type ContactMade, contact } from '../../support/factories/contact.ts';
import { stepRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';

/** What rules and waits ask of an event and of its subject. */
let at: RuleHouse;
let who: ContactMade;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(async () => {
  await at.reset();
  who = await contact(at.house.em(), at.organization, { name: 'Ada' });
});

const named = (value: string): Conditions => ({ field: 'contact.name', value });
const waits = (given: { conditions: Conditions; vars?: object }) => at.waitsFor({ contactId: who.id, ...given });
const seen = (id: string) => at.waitSeen(id);
const asleep = { event_id: null, waits: 1, is_due: false };
const wokenBy = (event: string) => ({ event_id: event, waits: 0, is_due: true });

test('a rule starts where its conditions hold, and others of the same event do not', async () => {
  const rules = [
    await at.rule(),
    await at.rule({ conditions: named('Ada') }),
    await at.rule({ conditions: { all: [named('Ada'), { field: 'event.name', value: 'Ada' }] } }),
    await at.rule({ conditions: named('Grace') }),
    await at.rule({ conditions: { not: named('Ada') } }),
  ];
  await at.evaluate(await at.updated(who.id));
  const counts = await Promise.all(rules.map(async (rule) => (await at.runs(rule)).length));
  expect(counts).toEqual([1, 1, 1, 0, 0]);
});

test('conditions are asked of what is true when the event is evaluated', async () => {
  const [was, is] = [await at.rule({ conditions: named('Ada') }), await at.rule({ conditions: named('Grace') })];
  const event = await at.updated(who.id);
  await contactRows.change(at, who.id, { name: 'Grace' });
  await at.evaluate(event);
  expect([await at.runs(was), (await at.runs(is)).length]).toEqual([[], 1]);
});

test('conditions that do not hold make no run and no row, also where it would be held back', async () => {
  const rule = await at.rule({ conditions: named('Grace') });
  const event = await at.updated(who.id, { by: 'run:1', chain: [rule] });
  expect(await at.evaluate(event)).toEqual({ kind: 'done' });
  expect([await at.runs(rule), await at.held(rule), await at.told(rule)]).toEqual([[], [], []]);
  expect(await at.house.rows()).toEqual([]);
});

test('what the step asks of the event must hold, for what the run knows', async () => {
  const [met, unmet] = [
    await waits({
      conditions: {
        all: [
          { field: 'event.name', value: 'Ada' },
          { field: 'vars.tier', value: 'gold' },
        ],
      },
      vars: { tier: 'gold' },
    }),
    await waits({ conditions: { field: 'vars.tier', value: 'silver' }, vars: { tier: 'gold' } }),
  ];
  const event = await at.updated(who.id);
  await at.evaluate(event);
  expect(await seen(met)).toEqual(wokenBy(event));
  expect(await seen(unmet)).toEqual(asleep);
});

test('what earlier steps gave is asked too', async () => {
  const conditions = { field: 'steps.before.status', value: 'open' };
  const [open, closed] = [await waits({ conditions }), await waits({ conditions })];
  for (const [id, status] of [
    [open, 'open'],
    [closed, 'closed'],
  ])
    await stepRows.add(at, {
      organization_id: at.organization,
      run_id: id,
      number: 1,
      step_id: 'before',
      type: 'create_deal',
      state: 'done',
      output: { status },
    });
  const event = await at.updated(who.id);
  await at.evaluate(event);
  expect(await seen(open)).toEqual(wokenBy(event));
  expect(await seen(closed)).toEqual(asleep);
});
