import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { usualWakes } from '../../../src/automation/evaluate/awaited.ts';
import { createDefinitions } from '../../../src/automation/evaluate/definitions.ts';
import { evaluation, writeEvaluation } from '../../../src/automation/evaluate/evaluate.ts';
import { lookAtEvent } from '../../../src/automation/evaluate/look.ts';
import { AutomationWait } from '../../../src/automation/run.entity.ts';
import { beginRuns } from '../../../src/automation/runs/begin.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { contactUpdated, conversationUpdated } from '../../../src/platform/events/catalogue.ts';
import { taskCompleted } from '../../../src/platform/events/crm-events.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { subjectLock } from '../../../src/platform/ledger/locks.ts';
import { runRule } from '../../../workers/automation/run.ts';
import { openRuleHouse, type RuleHouse } from '../../support/evaluations.ts';
import { type ContactMade, contact } from '../../support/factories/contact.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { dealRow } from '../../support/factories/task-objects.ts';
import type { ToyHandler } from '../../support/house.ts';
import { roundTrips } from '../../support/turns.ts';
import { runRows, waitRows } from '../../support/work/automation.ts';
import { taskRows, taskTargetRows } from '../../support/work/crm.ts';
import { postpone } from '../../support/work/jobs.ts';

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

const waits = (event = 'contact.updated', contactId = who.id) => at.waitsFor({ event, contactId });
const seen = (id: string) => at.waitSeen(id);
const asleep = { event_id: null, waits: 1, is_due: false };
const wokenBy = (event: string) => ({ event_id: event, waits: 0, is_due: true });

test('a run is woken by the event it waits for, about its subject, with the event', async () => {
  const [mine, another] = [await waits(), await waits()];
  const other = await contact(at.house.em(), at.organization);
  const [ofOther, ofAnotherType] = [await waits('contact.updated', other.id), await waits('contact.created')];
  const event = await at.updated(who.id);
  expect(await at.evaluate(event)).toEqual({ kind: 'done' });
  expect(await seen(mine)).toEqual(wokenBy(event));
  expect(await seen(another)).toEqual(wokenBy(event));
  expect(await seen(ofOther)).toEqual(asleep);
  expect(await seen(ofAnotherType)).toEqual(asleep);
});

test('an event of its conversation wakes a run about a contact', async () => {
  const run = await waits('conversation.updated');
  const talk = await conversation(at.house.em(), at.organization, { contact: who });
  const event = await at.emit(conversationUpdated, { conversation_id: talk.id, status: 'open', changed: ['status'] });
  await at.evaluate(event);
  expect(await seen(run)).toEqual(wokenBy(event));
});

test('an event that came before the wait does not end it', async () => {
  const rule = await at.rule();
  const event = await at.updated(who.id);
  const run = await waits();
  await at.evaluate(event);
  expect(await seen(run)).toEqual(asleep);
  expect(await at.runs(rule)).toHaveLength(1);
});

test('what a run did right before it waits does not wake it, what follows from that does', async () => {
  const run = await waits();
  await waitRows.remove(at, { run_id: run });
  const row = { run_id: run, event_type: contactUpdated.type, subject_type: 'contact', subject_id: who.id };
  const data = { contact_id: who.id, organization_id: at.organization, name: 'Ada', changed: ['tags'] };
  const [cause, locks] = [{ by: `run:${run}` }, [subjectLock('contact', who.id)]];
  const event = await at.transact({ cause, locks }, async ({ own }) => {
    await own.insert(AutomationWait, row);
    return own.emit(contactUpdated, data);
  });
  await at.evaluate(event);
  expect(await seen(run)).toEqual(asleep);
  const later = await at.updated(who.id, cause);
  await at.evaluate(later);
  expect(await seen(run)).toEqual(wokenBy(later));
});

test('an event begins runs and wakes others, once, however often it is evaluated', async () => {
  const rule = await at.rule();
  const run = await waits();
  const event = await at.updated(who.id);
  const evaluating = { own: ownRows(at.house.database, at.organization), stopWords: [], read: createDefinitions().read };
  const before = await lookAtEvent(evaluating, event);
  expect(before.wakes).toEqual([run]);
  await at.evaluate(event);
  await postpone(at, { subject_id: run }, '1 day');
  for (const one of [before, await lookAtEvent(evaluating, event)])
    await at.transact(evaluation(evaluating, one), writeEvaluation);
  expect(await seen(run)).toEqual({ ...wokenBy(event), is_due: false });
  expect(await at.runs(rule)).toHaveLength(1);
});

test('many runs that wait for one event are woken a few at a time, none is lost, and what the event begins begins once', async () => {
  const rule = await at.rule();
  const woken: string[] = [];
  for (let n = 0; n < 7; n += 1) {
    woken.push(await waits());
    // In between are those whose conditions do not hold: they are passed over.
    if (n % 2 === 0)
      await at.waitsFor({ event: 'contact.updated', contactId: who.id, conditions: { field: 'contact.name', value: 'Bob' } });
  }
  const event = await at.updated(who.id);
  const evaluating = {
    own: ownRows(at.house.database, at.organization),
    stopWords: [],
    read: createDefinitions().read,
    wakes: 2,
  };
  const [batches, starts]: [string[][], number[]] = [[], []];
  for (let after: string | undefined | null = undefined; after !== null; ) {
    const seen = await lookAtEvent(evaluating, event, { after });
    await at.transact(evaluation(evaluating, seen), writeEvaluation);
    batches.push(seen.wakes);
    starts.push(seen.starts.length);
    // As after a worker that died: from the beginning, what was woken is not met again.
    if (batches.length === 2) expect((await lookAtEvent(evaluating, event)).wakes).not.toContain(batches[0]![0]);
    after = seen.last;
  }
  expect(batches.every((some) => some.length <= 2)).toBe(true);
  expect(batches.flat().sort()).toEqual([...woken].sort());
  expect(starts).toEqual([...new Array(starts.length - 1).fill(0), 1]);
  for (const run of woken) expect(await seen(run)).toEqual(wokenBy(event));
  expect(await at.runs(rule)).toHaveLength(1);
});

test('the worker wakes them all', async () => {
  const rule = await at.rule({
    trigger: { type: 'manual' },
    steps: [{ id: 'ask', type: 'wait_for', event: 'contact.updated', timeout: { days: 1 } }],
  });
  const ids: string[] = [];
  for (let n = 0; n < usualWakes + 5; n += 1) ids.push(await at.waitingRun({ rule, subject: who.id, event: 'contact.updated' }));
  expect(await at.evaluate(await at.updated(who.id))).toEqual({ kind: 'done' });
  expect(await waitRows.count(at)).toBe(0);
  for (const id of [ids[0]!, ids.at(-1)!]) expect(await seen(id)).toMatchObject({ waits: 0, is_due: true });
});

test('a run about a deal is woken by what happens to a task that is about that deal alone', async () => {
  const [deal, another] = [await dealRow(at.sql, at.organization), await dealRow(at.sql, at.organization)];
  const task = uuidv7();
  await taskRows.add(at, { organization_id: at.organization, id: task, title: 'Call' });
  await taskTargetRows.add(at, { organization_id: at.organization, task_id: task, deal_id: deal });
  const ask = { id: 'ask', type: 'wait_for', event: 'task.completed', timeout: { days: 1 } };
  const rule = await at.rule({ trigger: { type: 'manual' }, steps: [ask] });
  const begun = async (subjectId: string) => {
    const run = { ruleId: rule, version: 1, mode: 'live', trigger: 'manual', subjectType: 'deal', subjectId } as const;
    const more = { contactId: who.id, isExclusive: false, chain: [rule] };
    const [id] = await at.transact({}, ({ own }) => beginRuns(own, [{ ...run, ...more }]));
    const [row] = await at.runs(rule).then((all) => all.filter((one) => one.id === id));
    const job = await at.house.row(row!.job_id!);
    await at.house.ledger.fill(at.house.pool(job!.pool!));
    expect(await at.house.run(runRule as unknown as ToyHandler, { id: job!.id })).toMatchObject({ kind: 'wait' });
    return id!;
  };
  const [mine, other] = [await begun(deal), await begun(another)];
  const data = { task_id: task, organization_id: at.organization };
  const event = await at.emit(taskCompleted, { ...taskCompleted.example, ...data });
  await at.evaluate(event);
  expect(await seen(mine)).toEqual(wokenBy(event));
  expect(await seen(other)).toMatchObject({ event_id: null, is_due: false });
});

test('the second of two events finds the run awake', async () => {
  const run = await waits();
  const [first, second] = [await at.updated(who.id), await at.updated(who.id)];
  await at.evaluate(first);
  await at.evaluate(second);
  expect(await seen(run)).toEqual(wokenBy(first));
});

test('a run that was cancelled meanwhile stays so', async () => {
  const run = await waits();
  const event = await at.updated(who.id);
  await runRows.change(at, run, { state: 'cancelled' });
  expect(await at.evaluate(event)).toEqual({ kind: 'done' });
  expect(await seen(run)).toEqual(asleep);
});

test('a wait begins before or after an event about its subject, never beside it', async () => {
  const ask = { id: 'ask', type: 'wait_for', event: 'contact.updated', timeout: { days: 1 } };
  const rule = await at.rule({ steps: [ask] });
  await at.evaluate(await at.updated(who.id));
  const [run] = await at.runs(rule);
  const job = (await at.house.row(run!.job_id!))!;
  const waitsOf = () => waitRows.all(at, { run_id: run!.id }, ['subject_id']);
  const work = await at.transact({ locks: [subjectLock('contact', who.id)] }, async () => {
    const working = at.house.run(runRule as unknown as ToyHandler, job);
    await roundTrips((text) => at.sql(text));
    expect(await waitsOf()).toEqual([]);
    return { working };
  });
  expect((await work.working).kind).toBe('wait');
  expect(await waitsOf()).toContainEqual({ subject_id: who.id });
});
