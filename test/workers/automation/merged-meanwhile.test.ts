import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { wakeRun } from '../../../src/automation/runs/wake.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { channel } from '../../support/factories/channel.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { doing, openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { waitRows } from '../../support/work/automation.ts';

/** The person of a run becomes another one while the run is at work. */
let at: RuleHouse;
let [survivor, merged]: ConversationMade[] = [] as never;
beforeAll(async () => {
  at = await openRuleHouse();
});
afterAll(() => at.close());
beforeEach(async () => {
  at.toys.forget();
  const on = await channel(at.house.em(), at.organization);
  survivor = await conversation(at.house.em(), at.organization, { channel: on });
  merged = await conversation(at.house.em(), at.organization, { channel: on });
});

async function merge() {
  const own = ownRows(at.house.database, at.organization);
  const asked = { id: merged!.contact.id, otherId: survivor!.contact.id };
  await at.transact({ look: () => lookAtPair(own, asked), locks: mergeLocks }, ({ own: tx }) => mergeContacts(tx, 'cli', asked));
}

const hears = { id: 'f', type: 'wait_for', event: 'message.new', timeout: { hours: 1 }, on_event: [doing('came')] } as const;
const subjectsOfWaits = async (run: string) =>
  (await waitRows.all(at, { run_id: run }, ['subject_id'], { subject_type: 'asc' })).map(({ subject_id: id }) => id);

async function assertHeard(run: string, subjects: string[]) {
  expect(await subjectsOfWaits(run)).toEqual(subjects);
  expect(await at.locked(run, (tx) => wakeRun(tx, run, uuidv7()))).toBe(true);
  expect(await at.toRest(run)).toMatchObject({ state: 'succeeded' });
}

test('merged between the look of a step and its transaction: it waits for what happens to the survivor', async () => {
  const run = await at.begin(await at.rule([doing('a'), hears]), { subjectId: merged!.contact.id });
  await at.meanwhile('a', merge, () => at.work(run));
  expect(await at.effects(run)).toEqual(['a']);
  await assertHeard(run, [survivor!.contact.id, survivor!.id]);
});

test('merged between two transactions of steps: the same', async () => {
  const run = await at.begin(await at.rule([doing('a'), doing('b', { type: 'do_alone' }), hears]), {
    subjectId: merged!.contact.id,
  });
  await at.meanwhile('b', merge, () => at.work(run), 'do_alone');
  await assertHeard(run, [survivor!.contact.id, survivor!.id]);
});

test('a conversation that became another one: its run goes on about that one', async () => {
  const about = { subjectType: 'conversation', subjectId: merged!.id, contactId: merged!.contact.id } as const;
  const run = await at.begin(await at.rule([doing('a'), hears]), about);
  await at.meanwhile('a', merge, () => at.work(run));
  await assertHeard(run, [survivor!.id]);
});

test('merged while a call is under way: its answer is kept', async () => {
  const run = await at.begin(await at.rule([doing('call', { type: 'ask' }), hears]), { subjectId: merged!.contact.id });
  at.toys.answer(async () => {
    await merge();
    return { kind: 'done', output: { said: 'yes' } };
  });
  await at.toRest(run);
  expect((await at.steps(run))[0]).toMatchObject({ state: 'done', output: { said: 'yes' } });
  await assertHeard(run, [survivor!.contact.id, survivor!.id]);
});

test('nothing is left over', async () => {
  expect(await checkJobs(at.house.database)).toEqual([]);
});
