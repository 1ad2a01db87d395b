import { expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { jobRows, makeDue, poolRows } from '../../support/work/jobs.ts';
import { messageAttemptRows } from '../../support/work/messages.ts';

const app = useApp({ workers: true });

const hold = ({ id }: Channel, until: string | null) => poolRows.change(app, `channel:${id}`, { held_until: until });

async function accepted(channel: Channel, phone: string, count: number) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { status, body } = await app.text(channel, phone, { text: { body: `${index}` } });
    expect(status).toBe(201);
    ids.push(body.data.id);
  }
  return ids;
}

/** Seconds until their next run, of the jobs that are still there. */
const timesOf = async (ids: string[]) => {
  const jobs = await jobRows.all(app, { subject_id: { $in: ids } }, ['state', 'attempts', 'run_at'], { seq: 'asc' });
  return jobs.map(({ run_at, ...job }) => ({ ...job, seconds: (Date.parse(run_at) - Date.now()) / 1_000 }));
};
const comeNow = (ids: string[]) => makeDue(app, { subject_id: { $in: ids } });
const refusedTries = (id: string) => messageAttemptRows.count(app, { message_id: id, provider_code: '131056' });

test('a pair over its burst waits, in order and without a spent try, while others go at once', async () => {
  const channel = await app.connect();
  const { phone } = await app.conversation(channel);
  await hold(channel, 'infinity');
  const ids = await accepted(channel, phone, 6);
  await app.control('POST', '/behaviour', { pair: { every_ms: 3_600_000, burst: 2 } });
  await hold(channel, null);
  await waitFor('the refusal', async () => (await refusedTries(ids[2]!)) === 1);
  await waitFor('the wait', async () => ((await timesOf(ids))[0]?.seconds ?? 0) > 2);

  const left = await timesOf(ids);
  expect(left.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['queued', 0],
    ['blocked', 0],
    ['blocked', 0],
    ['blocked', 0],
  ]);
  // One in 6 s behind the one that was refused.
  for (const [index, { seconds }] of left.entries()) if (index > 0) expect(seconds - left[index - 1]!.seconds).toBeCloseTo(6, 0);
  const other = await accepted(channel, (await app.conversation(channel)).phone, 1);
  await app.messageIn(other[0]!, 'read');

  await app.control('POST', '/behaviour', { pair: null });
  await comeNow(ids);
  for (const id of ids) await app.messageIn(id, 'read');
  const words = (await app.sends(channel)).filter(({ body }) => body.to === phone).map(({ body }) => body.text.body);
  expect(words).toEqual(['0', '1', '2', '2', '3', '4', '5']);
  expect(await timesOf(ids)).toEqual([]);
});

test('refused again and again, it waits longer each time, up to a minute', async () => {
  const channel = await app.connect();
  const { phone } = await app.conversation(channel);
  await app.fault(channel, { status: 400, code: 131056, times: 6 });
  const [id] = await accepted(channel, phone, 1);
  const waits: number[] = [];
  for (let refusals = 1; refusals <= 6; refusals += 1) {
    const [row] = await waitFor('the wait', async () => {
      const rows = await timesOf([id!]);
      return (await refusedTries(id!)) === refusals && (rows[0]?.seconds ?? 0) > 2 && rows;
    });
    waits.push(row!.seconds);
    await comeNow([id!]);
  }
  await app.messageIn(id!, 'read');
  for (const [index, most] of [6, 12, 24, 48, 60, 60].entries()) {
    expect(waits[index]).toBeLessThanOrEqual(most);
    // Looked at while it passes: longer than the one before at least.
    if (index > 0 && most < 60) expect(waits[index]).toBeGreaterThan([6, 12, 24][index - 1]! * 0.5);
  }
});
