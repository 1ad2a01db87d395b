import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { connectCalendar } from '../../support/connections.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';

const app = useApp();
const check = (id: string) => app.call('connections.check', { params: { connectionID: id } });

test('a check answers with the connection and names its operation, the same one while it is under way', async () => {
  const { id } = await connectCalendar(app);
  const [first, second] = [await check(id), await check(id)];
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ id, status: 'connected' });
  expect(first.headers.get('operation-id')).toBe(second.headers.get('operation-id'));
  const jobs = await storedJobs.all(app, { subject_id: id, name: 'connections.check' }, { columns: ['pool'] });
  // Not in the connection's pool, which may be held: a check is how it is let go.
  expect(jobs).toEqual([{ pool: null }]);
});

test('a deleted connection, and one of another organization, cannot be checked', async () => {
  const { id } = await connectCalendar(app);
  const { key } = await app.organization();
  expect((await app.call('connections.check', { key, params: { connectionID: id } })).status).toBe(404);
  await app.call('connections.delete', { params: { connectionID: id } });
  expect((await check(id)).status).toBe(404);
});
