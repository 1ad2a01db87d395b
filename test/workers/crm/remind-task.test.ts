import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { patchTask } from '../../../src/tasks/change.ts';
import { remindTaskJob } from '../../../src/tasks/jobs.ts';
import { taskLock } from '../../../src/tasks/task-row.ts';
import { remindTask } from '../../../workers/crm/remind-task.ts';
import { task } from '../../support/factories/task.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { taskRows } from '../../support/work/crm.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';
import { ahead, rightNow } from '../../support/work/rows.ts';

let house: House;
let taskId: string;
const handler = remindTask as unknown as ToyHandler;
const actor = 'user:test';

beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const transact = () => transactFor(house.ledger.transact, house.organizationId);
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const patch = (body: Parameters<typeof patchTask>[3]) =>
  transact()({ locks: [taskLock(taskId)] }, (tx) => patchTask(tx.own, taskId, actor, body));
const jobRow = async () => {
  const [row] = await jobRows.all(house, { subject_id: taskId }, ['id']);
  return row && house.row(row.id);
};
/** Its time comes: the row is due, and given to the queue as a sweep would. */
async function due() {
  await taskRows.change(house, taskId, { due_at: rightNow() });
  await makeDue(house, { subject_id: taskId });
  return (await jobRow())!;
}
const reminders = async () => eventRows.all(house, { subject_id: taskId, type: 'task.due' }, ['data']);
const state = async () => (await taskRows.all(house, taskId, ['reminder_job_id', 'reminded_at']))[0];

beforeEach(async () => {
  const made = await transact()({}, (tx) => task(tx.own, actor, { title: 'Call', due_at: inHours(5) }));
  taskId = made.id;
});

test('until its time the job stays in the table, and no sweep gives it to the queue', async () => {
  await house.sweepAll();
  expect(await jobRow()).toMatchObject({ state: 'queued', lane: null });
  expect(house.dispatched).not.toContainEqual(expect.objectContaining({ name: remindTaskJob.name }));
  expect(await checkJobs(house.database)).toEqual([]);
});

test('at its time it is told once, and a second run changes nothing', async () => {
  const row = await due();
  expect((await house.run(handler, row)).kind).toBe('done');
  await house.run(handler, row);
  expect(await reminders()).toEqual([
    { data: { task_id: taskId, organization_id: house.organizationId, status: 'open', assignee_id: null, changed: [] } },
  ]);
  expect(await state()).toEqual({ reminder_job_id: null, reminded_at: expect.any(String) });
  expect(await jobRow()).toBeUndefined();
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a new time reminds again, once', async () => {
  await house.run(handler, await due());
  await patch({ due_at: inHours(1) });
  await house.run(handler, await due());
  expect(await reminders()).toHaveLength(2);
});

test.each<[string, Parameters<typeof patchTask>[3]]>([
  ['the task is done', { status: 'done' }],
  ['its time is removed', { due_at: null }],
])('a run that comes when %s reminds nobody', async (_, body) => {
  const row = await due();
  await patch(body);
  await house.run(handler, row);
  expect(await reminders()).toEqual([]);
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a run of an earlier time does not end the later one', async () => {
  const row = await due();
  await patch({ due_at: inHours(9) });
  await house.run(handler, row);
  expect(await reminders()).toEqual([]);
  const later = await jobRow();
  expect(later!.id).not.toBe(row.id);
  expect(await state()).toMatchObject({ reminder_job_id: later!.id });
});

test('a job that is not the task’s own ends without a word', async () => {
  const row = await due();
  await taskRows.change(house, taskId, { reminder_job_id: uuidv7() });
  expect((await house.run(handler, row)).kind).toBe('done');
  expect(await reminders()).toEqual([]);
});

test('a run before its time waits', async () => {
  const row = await due();
  await taskRows.change(house, taskId, { due_at: ahead('1 min') });
  expect((await house.run(handler, row)).kind).toBe('wait');
  expect(await reminders()).toEqual([]);
});

test('done and open again within the moment of its reminder: it is not told twice', async () => {
  await house.run(handler, await due());
  await taskRows.change(house, taskId, { due_at: ahead('1 min'), reminded_at: ahead('2 min') });
  await patch({ status: 'done' });
  await patch({ status: 'open' });
  expect(await jobRow()).toBeUndefined();
});

test('a job that fails for good has reminded', async () => {
  const row = await due();
  await transact()({}, (tx) => remindTaskJob.failed(tx, { task_id: taskId, origin: '' }, { code: 'crashed', message: 'x' }));
  await jobRows.remove(house, row.id);
  expect(await reminders()).toHaveLength(1);
  expect(await state()).toMatchObject({ reminder_job_id: null });
});

test('a reminder that a rule has set is an effect of the rule; one that a person sets anew is not', async () => {
  const cause = { by: 'run:1', chain: [uuidv7()] };
  const made = await transact()({ cause }, (tx) => task(tx.own, cause.by, { title: 'Call', due_at: inHours(5) }));
  taskId = made.id;
  const told = () => eventRows.all(house, { subject_id: taskId, type: 'task.due' }, ['cause', 'chain'], { id: 'asc' });
  await house.run(handler, await due());
  expect(await told()).toEqual([{ cause: cause.by, chain: cause.chain }]);
  await patch({ due_at: inHours(1) });
  await house.run(handler, await due());
  expect((await told())[1]).toEqual({ cause: null, chain: null });
});
