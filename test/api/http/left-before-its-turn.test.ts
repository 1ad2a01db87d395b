import { expect, test } from '@jest/globals';
import pg from 'pg';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';

const patient = String(20_000);
const app = useApp({
  env: { LIST_TIMEOUT_MS: patient, REQUEST_STATEMENT_TIMEOUT_MS: patient, REQUEST_LOCK_TIMEOUT_MS: patient },
});

test('a search whose client has left while another was before it is not begun', async () => {
  const { key } = await app.organization();
  const search = (signal?: AbortSignal) =>
    fetch(`${app.base}/v1/contacts?search=somebody&include_total=true`, { headers: { 'x-api-key': key }, signal });
  expect((await search()).status).toBe(200);
  const { pool } = app.web.deps.database;
  const connect = pool.connect;
  let begun = 0;
  // A list takes a connection by a promise, a single statement by a callback.
  pool.connect = ((done?: () => void) => {
    if (!done) begun += 1;
    return (connect as (done?: () => void) => unknown).call(pool, done);
  }) as typeof connect;
  const blocker = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
  await blocker.connect();
  try {
    await blocker.query('begin; lock table contacts in access exclusive mode');
    const first = search();
    await waitFor('the first to be at work', () => begun === 1);
    const [client, since] = [new AbortController(), app.log.lines.length];
    const second = search(client.signal).catch(() => 'left');
    // It has to be in the queue, behind the first: requests that came after it are answered.
    for (let read = 0; read < 5; read += 1) await fetch(`${app.base}/v1/contacts?limit=none`, { headers: { 'x-api-key': key } });
    client.abort();
    expect(await second).toBe('left');
    await waitFor('its line', () => app.requestLines(since).some(({ status }) => status === 499));
    const third = search();
    await blocker.query('rollback');
    expect([(await first).status, (await third).status]).toEqual([200, 200]);
    expect(begun).toBe(2);
  } finally {
    pool.connect = connect;
    await blocker.end();
  }
});
