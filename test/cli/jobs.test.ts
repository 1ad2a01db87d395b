import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/database.ts';
import { inProcessOn } from './in-process.ts';

let drop: () => Promise<void>;
let client: pg.Client;
let kanal: ReturnType<typeof inProcessOn>;
const organizationId = uuidv7();

beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  kanal = inProcessOn(created.url);
  client = new pg.Client({ connectionString: created.url });
  await client.connect();
  await client.query(`insert into organizations (id, name) values ($1, 'Test')`, [organizationId]);
});
afterAll(async () => {
  await client.end();
  await drop();
});

async function brokenWebhook(): Promise<string> {
  const id = uuidv7();
  await client.query(
    `insert into provider_webhooks (id, organization_id, body, state, errors) values ($1, $2, '[]', 'broken', '[{"error":"no"}]')`,
    [id, organizationId],
  );
  return id;
}

async function failedJob(webhookId: string): Promise<string> {
  const id = uuidv7();
  await client.query(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, attempts, error, finished_at)
     values ($1, $2, 'provider-webhooks.apply', 'default', $3, 'provider_webhook', $4, 'failed', now(), 8, '{"code":"internal","message":"no"}', now())`,
    [id, organizationId, JSON.stringify({ webhook_id: webhookId }), webhookId],
  );
  return id;
}

const rowOf = async (table: string, id: string) => (await client.query(`select * from ${table} where id = $1`, [id])).rows[0];
const actsOn = async (subject: string) =>
  (await client.query('select organization_id, actor, action, details from audit_log where subject = $1', [subject])).rows;
const handedOver = async () => (await client.query('select id from bullmq.job')).rows.map(({ id }) => id);

test('a failed job is handed to the queue again, once', async () => {
  const webhookId = await brokenWebhook();
  const id = await failedJob(webhookId);
  expect(await kanal('jobs', 'retry', id)).toEqual({ code: 0, stdout: `Job ${id} runs again\n`, stderr: '' });
  expect(await rowOf('jobs', id)).toMatchObject({ state: 'queued', run: 2, attempts: 0, error: null });
  expect(await rowOf('provider_webhooks', webhookId)).toMatchObject({ state: 'received', errors: null });
  expect(await handedOver()).toContain(`${id}.2`);
  expect(await kanal('jobs', 'retry', id)).toMatchObject({ code: 0, stdout: `Job ${id} has not failed: nothing to do\n` });
  const details = { name: 'provider-webhooks.apply', webhook_id: webhookId };
  expect(await actsOn(`job:${id}`)).toEqual([{ organization_id: organizationId, actor: 'cli', action: 'jobs.retry', details }]);
});

test('a job nobody knows is said to be unknown, and nothing to have been done', async () => {
  const id = uuidv7();
  expect(await kanal('jobs', 'retry', id)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${id}: Job not found: it is done, or it failed so long ago that it was purged\n`,
  });
  expect(await actsOn(`job:${id}`)).toEqual([]);
});

test('of several jobs one that is refused holds up no other', async () => {
  const [first, last] = [await failedJob(await brokenWebhook()), await failedJob(await brokenWebhook())];
  const unknown = uuidv7();
  expect(await kanal('jobs', 'retry', first, unknown, last)).toEqual({
    code: 1,
    stdout: `Job ${first} runs again\nJob ${last} runs again\n`,
    stderr: `${unknown}: Job not found: it is done, or it failed so long ago that it was purged\n`,
  });
  for (const id of [first, last]) expect(await rowOf('jobs', id)).toMatchObject({ state: 'queued', run: 2 });
});

test('a broken provider webhook is applied again', async () => {
  const id = await brokenWebhook();
  expect(await kanal('provider-webhooks', 'retry', id)).toMatchObject({ code: 0, stderr: '' });
  expect(await rowOf('provider_webhooks', id)).toMatchObject({ state: 'received', errors: null });
  const { rows } = await client.query(`select id from jobs where subject_id = $1 and state = 'queued'`, [id]);
  expect(await handedOver()).toContain(`${rows[0].id}.1`);
  expect(await kanal('provider-webhooks', 'retry', id)).toMatchObject({ code: 0, stdout: expect.stringContaining('not broken') });
  expect(await kanal('provider-webhooks', 'retry', uuidv7())).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Provider webhook not found'),
  });
  expect(await actsOn(`provider_webhook:${id}`)).toEqual([
    { organization_id: organizationId, actor: 'cli', action: 'provider-webhooks.retry', details: null },
  ]);
});

test('the check says that it could not look, in place of waiting for a table that is locked', async () => {
  await client.query('begin; lock table jobs in access exclusive mode');
  const { code, stdout, stderr } = await kanal('jobs', 'check', '--timeout', '1').finally(() => client.query('rollback'));
  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toBe('The ledger could not be looked at within 1 s: a table is locked, or the database has too much to do\n');
});

test('the check is clean, and names a subject whose job was deleted', async () => {
  expect(await kanal('jobs', 'check')).toEqual({ code: 0, stdout: 'clean\n', stderr: '' });
  const orphan = await brokenWebhook();
  await client.query(`update provider_webhooks set state = 'received' where id = $1`, [orphan]);
  expect(await kanal('jobs', 'check')).toMatchObject({ code: 1, stdout: expect.stringContaining(orphan) });
});
