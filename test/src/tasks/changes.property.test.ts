import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ownRows } from '../../../src/platform/database/own.ts';
import { AppError } from '../../../src/platform/errors.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { OwnTx } from '../../../src/platform/ledger/tx.ts';
import { completeTask, deleteTask, patchTask, reopenTask, restoreTask, type TaskPatch } from '../../../src/tasks/change.ts';
import type { NewTask } from '../../../src/tasks/create.ts';
import { linkTarget, unlinkTarget } from '../../../src/tasks/targets.ts';
import { Task } from '../../../src/tasks/task.entity.ts';
import { getAnyTask, taskLock, type WholeTask } from '../../../src/tasks/task-row.ts';
import { changeTask } from '../../../src/tasks/task-tx.ts';
import { contact } from '../../support/factories/contact.ts';
import { person } from '../../support/factories/person.ts';
import { task as newTask } from '../../support/factories/task.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { eventsOf } from '../../support/rules/events.ts';
import { historyOf } from '../../support/rules/history.ts';
import { jobsOf } from '../../support/rules/ledger-jobs.ts';

let house: House;
let member: string;
const contacts: string[] = [];
beforeAll(async () => {
  house = await openHouse();
  member = (await person(house.em(), house.organizationId)).userId;
  for (let count = 0; count < 3; count += 1) contacts.push((await contact(house.em(), house.organizationId)).id);
});
afterAll(() => house.close());

const actor = 'user:test';
const transact = <Result>(locks: string[], work: (tx: OwnTx) => Promise<Result>) =>
  transactFor(house.ledger.transact, house.organizationId)({ locks }, ({ own }) => work(own));
const onTask = <Result>(id: string, work: (tx: OwnTx) => Promise<Result>) => transact([taskLock(id)], work);

const hour = 3_600_000;
/** On the minute of a day ahead, in the past, or none: none of them becomes due while the test runs. */
const time = fc.constantFrom(
  null,
  ...[-5, -1, 2, 3, 48].map((hours) => new Date(Math.round(Date.now() / hour + hours) * hour).toISOString()),
);
const words = fc.constantFrom('', 'a', 'b');
const fields = fc.record(
  {
    title: fc.constantFrom('A', 'B'),
    status: fc.constantFrom('open', 'in_progress', 'done', 'cancelled'),
    priority: fc.constantFrom('low', 'normal'),
    type: fc.constantFrom('todo', 'call'),
    is_mine: fc.boolean(),
    due_at: time,
    remind_at: time,
    words: fc.oneof(
      words.map((description) => ({ description })),
      words.map((json) => ({ description_rich: { type: 'custom' as const, json, plain_text: json } })),
      fc.constant({ description_rich: null }),
    ),
  },
  { requiredKeys: [] },
);
const given = ({ words: said, is_mine, ...rest }: { words?: object; is_mine?: boolean }): TaskPatch => ({
  ...rest,
  ...said,
  ...(is_mine !== undefined && { assignee_id: is_mine ? member : null }),
});
type Step = { act: string; patch: TaskPatch; index: number };
const step = fc.record({
  act: fc.constantFrom('patch', 'patch', 'complete', 'reopen', 'delete', 'restore', 'link', 'unlink'),
  patch: fields.map(given),
  index: fc.nat({ max: 2 }),
});

const take = (id: string, { act, patch, index }: Step) =>
  onTask(id, async (tx): Promise<unknown> => {
    if (act === 'complete') return completeTask(tx, id, actor);
    if (act === 'reopen') return reopenTask(tx, id, actor);
    if (act === 'delete') return deleteTask(tx, id, actor);
    if (act === 'restore') return restoreTask(tx, id, actor);
    if (act === 'link') return linkTarget(tx, id, actor, { object_kind: 'contact', object_id: contacts[index]! });
    if (act === 'unlink') {
      const { targets } = await getAnyTask(tx, id);
      return targets[index] && unlinkTarget(tx, id, actor, targets[index].id);
    }
    return patchTask(tx, id, actor, patch);
  }).catch((error) => {
    // In the bin it is not there.
    if (!(error instanceof AppError && error.status === 404)) throw error;
  });

type Change = { from: unknown; to: unknown };
type Line = { revision: number; event_id: string | null; changes: Record<string, Change> };

/** The task as its history tells it. */
function replayed(lines: Line[]) {
  const state: Record<string, unknown> = { description: '', status: 'open', priority: 'normal', type: 'todo' };
  const targets: string[] = [];
  for (const { revision, changes } of lines)
    for (const [name, { from, to }] of Object.entries(changes)) {
      if (name !== 'targets' && revision > 1) expect([name, state[name] ?? null]).toEqual([name, from]);
      if (name !== 'targets') state[name] = to;
      else {
        for (const one of from as string[]) targets.splice(targets.indexOf(one), 1);
        targets.push(...(to as string[]));
      }
    }
  return { state, targets };
}

const ms = (time: unknown) => (typeof time === 'string' ? Date.parse(time.replace(/([+-]\d\d)$/, '$1:00')) : null);

function expectSame(task: WholeTask, lines: Line[]) {
  const { state, targets } = replayed(lines);
  for (const name of ['title', 'description', 'status', 'priority', 'type', 'assignee_id'] as const)
    expect([name, state[name] ?? null]).toEqual([name, task[name]]);
  for (const name of ['due_at', 'remind_at', 'completed_at', 'deleted_at'] as const)
    expect([name, ms(state[name])]).toEqual([name, ms(task[name])]);
  const rich = task.description_rich && { ...task.description_rich, plain_text: task.description };
  expect(state.description_rich ?? null).toEqual(rich);
  expect(targets).toEqual(task.targets.map(({ object_id }) => object_id));
}

test('after any changes the history tells the task, each change one event, and one job waits if it reminds', async () => {
  await fc.assert(
    fc.asyncProperty(fields.map(given), fc.array(step, { maxLength: 12 }), async (first, steps) => {
      const body = { title: 'A', ...first, targets: [{ object_kind: 'contact', object_id: contacts[0]! }] } as NewTask;
      const { id } = await transact([], (tx) => newTask(tx, actor, body));
      for (const one of steps) await take(id, one);
      const task = await getAnyTask(ownRows(house.database, house.organizationId), id);
      const lines = await historyOf(house.em(), id);
      expect(lines.map(({ revision }) => revision)).toEqual(Array.from({ length: task.revision }, (_, index) => index + 1));
      expectSame(task, lines);
      const events = (await eventsOf(house.em(), id)).filter(({ type }) => type !== 'task.completed');
      expect(events.map((event) => event.id)).toEqual(lines.map(({ event_id }) => event_id));
      const at = ms(task.remind_at ?? task.due_at);
      const reminds = at !== null && at > Date.now() && !task.deleted_at && !['done', 'cancelled'].includes(task.status);
      const jobs = await jobsOf(house.em(), id);
      expect(jobs.map((job) => job.id)).toEqual(reminds ? [task.reminder_job_id] : []);
      expect(task.reminder_job_id !== null).toBe(reminds);
    }),
    { numRuns: numRuns({ default: 6, deep: 60 }) },
  );
  expect(await checkJobs(house.database)).toEqual([]);
});

test('a task that is deleted with its person in the middle of a change is a 404, and leaves nothing', async () => {
  const { id } = await transact([], (tx) => newTask(tx, actor, { title: 'A' }));
  const change = onTask(id, (tx) =>
    changeTask(tx, id, { actor }, async (task) => {
      await house.em().nativeDelete(Task, { id });
      task.set({ due_at: new Date(Date.now() + hour).toISOString() });
    }),
  );
  await expect(change).rejects.toMatchObject({ status: 404 });
  expect(await jobsOf(house.em(), id)).toEqual([]);
  const revisions = await historyOf(house.em(), id);
  expect(revisions.filter(({ revision }) => revision > 1)).toEqual([]);
});
