import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { remindTask } from '../../../workers/crm/remind-task.ts';
import { describeEachBackend } from '../../support/backends.ts';
import { task } from '../../support/factories/task.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { waitFor } from '../../support/wait-for.ts';
import { eventRows } from '../../support/work/events.ts';

const count = 3_000;
const perTransaction = 100;
const soon = 10;

describeEachBackend('reminders that are parked', (makeBackend) => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse(makeBackend);
  });
  afterAll(() => house.close());

  const inQueue = () => house.queues.queue('default')!.getJobCountByTypes('waiting', 'delayed', 'active');
  const remind = () => eventRows.count(house, { type: 'task.due' });

  test(`of ${count} the queue holds none, and shortly before their time those that are due`, async () => {
    await house.queues.queue('default')!.obliterate({ force: true });
    const transact = transactFor(house.ledger.transact, house.organizationId);
    const dueAt = new Date(Date.now() + 3_600_000).toISOString();
    for (let done = 0; done < count; done += perTransaction)
      await transact({}, async ({ own }) => {
        for (let number = 0; number < perTransaction; number += 1)
          await task(own, 'user:test', { title: `Task ${done + number}`, due_at: dueAt });
      });
    await house.sweepAll();
    expect(await inQueue()).toBe(0);

    // As if their time had come.
    await house.sql(
      `with chosen as (select id from crm_tasks order by id limit $1),
            due as (update crm_tasks set due_at = clock_timestamp() where id in (select id from chosen))
       update jobs set run_at = clock_timestamp(), check_at = clock_timestamp() - interval '20 s' where subject_id in (select id from chosen)`,
      [soon],
    );
    await house.sweepAll();
    await waitFor('those that are due', async () => (await inQueue()) === soon);
    house.work([remindTask as unknown as ToyHandler]);
    await waitFor('the reminders', async () => (await remind()) === soon);
    await waitFor('an empty queue', async () => (await inQueue()) === 0);
    expect(await remind()).toBe(soon);
  });
});
