import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { retryRun } from '../../../src/automation/runs/retry.ts';
import { conversationsOf, eraseContact, eraseLocks } from '../../../src/contacts/erasure/erase.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { eraseContactRest } from '../../../workers/contacts/erase-contact.ts';
import type { ToyHandler } from '../../support/house.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wholeDump } from '../../support/whole-dump.ts';
import { runRows } from '../../support/work/automation.ts';
import { contactRows, identityRows } from '../../support/work/contacts.ts';
import { dealContactRows, dealRows } from '../../support/work/crm.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { isLockAwaited } from '../../support/work/locks.ts';

/** Nobody else has it. */
const name = 'Wilhelmine Zwyxgroth';
let at: RuleHouse;
let who: string;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(async () => {
  at.toys.forget();
  who = await at.contact();
  await contactRows.change(at, who, { name });
  await identityRows.add(at, {
    organization_id: at.organization,
    contact_id: who,
    type: 'email',
    value: 'zwyxgroth@example.com',
  });
});

async function erase() {
  const conversations = await conversationsOf(ownRows(at.house.database, at.organization), who);
  await at.transact({ locks: eraseLocks(who, conversations) }, ({ own }) => eraseContact(own, testSecrets, who));
}
/** The rest of the erasure: what others hold of the person. */
async function eraseRest() {
  const jobs = await jobRows.all(at, { name: 'contacts.erase' }, ['id', 'run']);
  for (const job of jobs) await at.house.run(eraseContactRest as unknown as ToyHandler, job);
}
async function assertForgotten(run: string) {
  expect(await at.seen(run)).toMatchObject({ state: 'cancelled', reason: 'contact_deleted', job_id: null, vars: {} });
  expect(await at.jobs(run)).toEqual([]);
  await eraseRest();
  await assertNowhere();
}
async function assertNowhere() {
  const dump = await wholeDump({ rows: (text, params) => at.sql(text, params) });
  expect(
    Object.entries(dump)
      .filter(([, text]) => /zwyxgroth/i.test(text))
      .map(([table]) => table),
  ).toEqual([]);
}
const noting = (id: string, type = 'do') => doing(id, { type, gives: '{{ contact.name }}' });
const setting = { id: 'v', type: 'set_vars', vars: { who: '{{ contact.name }}' } } as const;

test('erased while its run waits: nothing of the person is left', async () => {
  const run = await at.begin(await at.rule([setting, noting('a'), { id: 'w', type: 'wait', for: { days: 1 } }, noting('b')]), {
    subjectId: who,
  });
  await at.work(run);
  expect(JSON.stringify(await at.steps(run))).toContain(name);
  await erase();
  await assertForgotten(run);
  expect(await at.effects(run)).toEqual(['a']);
});

test('erased between the look of a step and its transaction: the step writes nothing', async () => {
  const run = await at.begin(await at.rule([setting, noting('a')]), { subjectId: who });
  await at.meanwhile('a', erase, () => at.work(run));
  expect(await at.effects(run)).toEqual([]);
  await assertForgotten(run);
});

test('erased while a call is under way: its answer is not kept', async () => {
  const run = await at.begin(await at.rule([setting, noting('call', 'ask'), noting('b')]), { subjectId: who });
  at.toys.answer(async () => {
    await erase();
    return { kind: 'done', output: { you_said: name } };
  });
  await at.toRest(run);
  expect(await at.effects(run)).toEqual([]);
  await assertForgotten(run);
});

test('erased while a run about a deal of theirs calls: what the rest of the erasure removed is not written again', async () => {
  const deal = uuidv7();
  await dealRows.add(at, {
    organization_id: at.organization,
    id: deal,
    title: 'Sofa',
    status: 'open',
    currency_code: 'EUR',
    home_currency_at_write: 'EUR',
  });
  await dealContactRows.add(at, { organization_id: at.organization, deal_id: deal, contact_id: who, is_primary: true });
  const run = await at.begin(await at.rule([doing('call', { type: 'ask' }), doing('b')]), {
    ...{ subjectType: 'deal', subjectId: deal, contactId: null, vars: { who: name } },
  });
  at.toys.answer(async () => {
    await erase();
    await eraseRest();
    return { kind: 'done', output: {} };
  });
  await at.toRest(run);
  expect(await at.seen(run)).toMatchObject({ state: 'succeeded', vars: { who: '[removed]' } });
  expect(await at.effects(run)).toEqual(['b']);
  await assertNowhere();
});

test('a rule that says their name: a worker that has done it before says it no more', async () => {
  const rule = await at.rule([{ id: 'v', type: 'set_vars', vars: { who: name } }, doing('a')]);
  const before = await at.begin(rule);
  await at.toRest(before);
  expect(await at.seen(before)).toMatchObject({ state: 'succeeded', vars: { who: name } });
  await runRows.remove(at, before);
  await erase();
  await eraseRest();
  const after = await at.begin(rule);
  await at.toRest(after);
  expect(await at.seen(after)).toMatchObject({ state: 'succeeded', vars: { who: '[removed]' } });
  await assertNowhere();
});

describe('a failed run that is retried while its person is erased', () => {
  let run: string;
  beforeEach(async () => {
    run = await at.begin(await at.rule([setting, noting('a'), doing('b', { when: 'prepare' })]), { subjectId: who });
    await at.toRest(run);
    expect(await at.seen(run)).toMatchObject({ state: 'failed' });
  });
  const retry = () => at.locked(run, (tx) => retryRun(tx, run));
  const isWaited = () => isLockAwaited(at);

  test('first the retry: the erasure cancels it', async () => {
    let erasing: Promise<void> | undefined;
    await at.locked(run, async (tx) => {
      await retryRun(tx, run);
      erasing = erase();
      await waitFor('the erasure to wait', isWaited);
    });
    await erasing;
    await assertForgotten(run);
  });

  test('first the erasure: the retry is refused', async () => {
    let retried: Promise<unknown> | undefined;
    const conversations = await conversationsOf(ownRows(at.house.database, at.organization), who);
    await at.transact({ locks: eraseLocks(who, conversations) }, async ({ own }) => {
      await eraseContact(own, testSecrets, who);
      retried = retry().catch((error) => error);
      await waitFor('the retry to wait', isWaited);
    });
    expect(await retried).toMatchObject({ code: 'conflict', details: [{ code: 'run.subject_gone' }] });
    expect(await at.seen(run)).toMatchObject({ state: 'failed', vars: {} });
  });
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
