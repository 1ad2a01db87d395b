import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { conversationOf, retryLocks, retryMessage } from '../../../../src/messaging/retry.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { kept } from '../../../../src/platform/retention/not-purged.ts';
import type { Deleted } from '../../../../src/platform/retention/purge.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { channel } from '../../../support/factories/channel.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { deliveries } from '../../../support/factories/deliveries.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { queuedMessage } from '../../../support/factories/message.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset('idempotency_keys', 'provider_webhooks', 'unmatched_statuses', 'heartbeats', 'purges'));

const ago = (days: number) => `clock_timestamp() - interval '${days} days'`;
const count = async (table: string, where = 'true') =>
  (await house.sql<{ n: number }>(`select count(*)::int as n from ${table} where ${where}`))[0]!.n;

/** Runs a purge in batches of 10; what each batch deleted, and the sum. */
async function purge(table: string, env: object = {}) {
  const batches: Deleted[] = [];
  const { deleted, isOver } = await runPurge(purges.find((one) => one.table === table)!, {
    config: { ...house.deps.config, ...env },
    database: house.database,
    isStopping: () => false,
    onDeleted: (some) => batches.push({ ...some }),
    batch: 10,
    pauseMs: 0,
  });
  expect(isOver).toBe(true);
  return { deleted, batches };
}

/** `times` rows of jobs in an ended state since so many days. */
const ended = (state: string, days: number, times: number) =>
  house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at, created_at, finished_at)
     select uuidv7(), $1, 'toys.play', 'default', '{}', 'toy', uuidv7(), $2, clock_timestamp(), ${ago(days)}, ${ago(days)} from generate_series(1, $3::int)`,
    [house.organizationId, state, times],
  );

test('onboardings: those not completed 30 days after their last change, unless a job still has one', async () => {
  const made = (step: string, status: string, days: number) =>
    house.sql<{ id: string }>(
      `insert into onboardings (id, organization_id, current_step, step_status, completed_steps, rate, created_at, updated_at)
       values (uuidv7(), $1, $2, $3, '{}', 80, ${ago(days + 1)}, ${ago(days)})
       returning id`,
      [house.organizationId, step, status],
    );
  await made('register_phone', 'failed', 31);
  await made('register_phone', 'pending', 29);
  await made('completed', 'completed', 400);
  const [row] = await made('sync_assets', 'in_progress', 31);
  const { id } = await house.accept();
  await house.sql('update jobs set subject_id = $2 where id = $1', [id, row!.id]);
  expect((await purge('onboardings')).deleted).toEqual({ onboardings: 1 });
  expect((await purge('onboardings', { retentionOnboardingsDays: 20 })).deleted).toEqual({ onboardings: 1 });
  expect(await count('onboardings')).toBe(2);
  await house.sql('delete from onboardings');
});

describe('jobs', () => {
  test('done ones after 7 days, failed ones after 30, in batches; what is younger or alive stays', async () => {
    await ended('done', 8, 25);
    await ended('done', 6, 3);
    await ended('failed', 31, 12);
    await ended('failed', 29, 4);
    const { id } = await house.accept();
    await house.sql(`update jobs set created_at = ${ago(90)}, run_at = ${ago(90)} where id = $1`, [id]);
    const { deleted, batches } = await purge('jobs');
    expect(deleted).toEqual({ jobs: 37 });
    expect(batches.map(({ jobs }) => jobs)).toEqual([10, 10, 5, 10, 2]);
    expect(await house.sql('select state, count(*)::int as n from jobs group by state order by state')).toEqual([
      { state: 'done', n: 3 },
      { state: 'failed', n: 4 },
      { state: 'queued', n: 1 },
    ]);
  });

  test('the time is a setting', async () => {
    await ended('failed', 31, 2);
    expect((await purge('jobs', { retentionFailedJobsDays: 60 })).deleted).toEqual({ jobs: 0 });
    expect((await purge('jobs', { retentionFailedJobsDays: 14 })).deleted).toEqual({ jobs: 2 });
  });

  test('the ledger is clean without a failed row, its retry says where it went, and its message can still be sent', async () => {
    const made = await conversation(house.em(), house.organizationId, {
      channel: await channel(house.em(), house.organizationId),
    });
    const { messageId, jobId } = await queuedMessage(house.ledger.transact, house.organizationId, made);
    await house.sql(`update jobs set state = 'failed', finished_at = ${ago(31)} where id = $1`, [jobId]);
    await house.sql(`update messages set status = 'failed', failure = '{"code": "provider_refused"}' where id = $1`, [messageId]);
    expect((await purge('jobs')).deleted).toEqual({ jobs: 1 });
    expect(await checkJobs(house.database)).toEqual([]);

    await expect(retryJob(house.ledger.transact, jobId)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('it was purged'),
    });
    const look = () => conversationOf(ownRows(house.database, house.organizationId), messageId);
    const transact = transactFor(house.ledger.transact, house.organizationId);
    await transact({ look, locks: retryLocks }, (tx) => retryMessage(tx, messageId, false));
    const [message] = await house.sql('select status, failure from messages where id = $1', [messageId]);
    expect(message).toEqual({ status: 'queued', failure: null });
    expect(await checkJobs(house.database)).toEqual([]);
    await house.sql('delete from messages');
  });

  test('a row purged in the middle of its retry leaves the subject as it was', async () => {
    const { id, toyId } = await house.accept();
    await house.sql(`update jobs set state = 'failed', finished_at = ${ago(31)} where id = $1`, [id]);
    await house.sql(`update toys set status = 'failed' where id = $1`, [toyId]);
    // A trigger stands for the purge: the row goes while its subject is being revived.
    await house.sql(
      `create function purged() returns trigger language plpgsql as 'begin delete from jobs where subject_id = new.id; return new; end'`,
    );
    await house.sql('create trigger purged before update on toys for each row execute function purged()');
    try {
      await expect(retryJob(house.ledger.transact, id)).rejects.toMatchObject({ code: 'not_found' });
    } finally {
      await house.sql('drop trigger purged on toys');
    }
    expect(await house.toy(toyId)).toMatchObject({ status: 'failed', revivals: 0 });
  });
});

test('idempotency keys after 24 hours', async () => {
  const keys = (age: string, times: number) =>
    house.sql(
      `insert into idempotency_keys (organization_id, method, path, key, body_hash, status, reply, created_at)
       select $1, 'POST', '/v1/messages', gen_random_uuid()::text, '', 201, '', clock_timestamp() - interval '${age}' from generate_series(1, $2::int)`,
      [house.organizationId, times],
    );
  await keys('25 hours', 23);
  await keys('23 hours', 4);
  const { deleted, batches } = await purge('idempotency_keys');
  expect(deleted).toEqual({ idempotency_keys: 23 });
  expect(batches).toHaveLength(3);
  expect(await count('idempotency_keys')).toBe(4);
});

describe('bodies of the provider', () => {
  const bodies = (state: string, days: number, times = 1) =>
    house.sql<{ id: string }>(
      `insert into provider_webhooks (id, organization_id, body, state, received_at, applied_at)
       select uuidv7(), $1, '[]', $2, ${ago(days)}, case when $2 = 'applied' then ${ago(days)} end from generate_series(1, $3::int) returning id`,
      [house.organizationId, state, times],
    );

  test('applied ones after 7 days, broken ones after 30, one that waits never', async () => {
    await bodies('applied', 8, 21);
    await bodies('applied', 6, 2);
    await bodies('broken', 31, 3);
    await bodies('broken', 29, 5);
    await bodies('received', 90, 7);
    const { deleted, batches } = await purge('provider_webhooks');
    expect(deleted).toEqual({ provider_webhooks: 24 });
    expect(batches).toHaveLength(4);
    expect(await house.sql('select state, count(*)::int as n from provider_webhooks group by state order by state')).toEqual([
      { state: 'applied', n: 2 },
      { state: 'broken', n: 5 },
      { state: 'received', n: 7 },
    ]);
  });

  test('a broken one stays as long as its failed job, which can be retried', async () => {
    const [body] = await bodies('broken', 31);
    await ended('failed', 1, 1);
    await house.sql('update jobs set subject_id = $1', [body!.id]);
    expect((await purge('provider_webhooks')).deleted).toEqual({ provider_webhooks: 0 });
    await house.sql('delete from jobs');
    expect((await purge('provider_webhooks')).deleted).toEqual({ provider_webhooks: 1 });
  });
});

test('statuses that waited for their message, 7 days after; one that still waits never', async () => {
  const { id } = await channel(house.em(), house.organizationId);
  const statuses = (state: string, days: number, times: number) =>
    house.sql(
      `insert into unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state, received_at)
       select uuidv7(), $1, $2, 'wamid', '{}', $3, ${ago(days)} from generate_series(1, $4::int)`,
      [house.organizationId, id, state, times],
    );
  await statuses('matched', 8, 11);
  await statuses('dropped', 8, 11);
  await statuses('dropped', 6, 1);
  await statuses('waiting', 90, 2);
  const { deleted, batches } = await purge('unmatched_statuses');
  expect(deleted).toEqual({ unmatched_statuses: 22 });
  expect(batches).toHaveLength(3);
  expect(await count('unmatched_statuses', `state = 'waiting'`)).toBe(2);
  expect(await count('unmatched_statuses')).toBe(3);
});

test("the provider's ids of sent files, 30 days after: it does not have them any more", async () => {
  await house.sql(
    `with made as (
       insert into media_assets (id, organization_id, storage_key, kind, source, mime_type, size_bytes, sha256)
       select uuidv7(), $1, n::text, 'image', 'upload', 'image/png', 1, '' from generate_series(1, 15) n
       returning id, storage_key)
     insert into media_uploads (organization_id, asset_id, phone_number_id, media_id, uploaded_at)
     select $1, id, '1', '2', case when storage_key::int > 12 then ${ago(29)} else ${ago(31)} end from made`,
    [house.organizationId],
  );
  expect((await purge('media_uploads')).deleted).toEqual({ media_uploads: 12 });
  expect(await count('media_uploads')).toBe(3);
});

test('heartbeats of processes that have been gone for 7 days', async () => {
  const beats = (days: number, times: number) =>
    house.sql(
      `insert into heartbeats (process_id, process, since, seen_at) select uuidv7(), 'web', ${ago(90)}, ${ago(days)} from generate_series(1, $1::int)`,
      [times],
    );
  await beats(8, 12);
  await beats(6, 2);
  expect((await purge('heartbeats')).deleted).toEqual({ heartbeats: 12 });
  expect(await count('heartbeats')).toBe(2);
});

describe('webhook endpoints', () => {
  const made = async (change: string) => {
    const { id } = await endpoint(house.ledger.transact, house.organizationId);
    await house.sql(`update webhook_endpoints set ${change} where id = $1`, [id]);
    return id;
  };

  test('the secret before a rotation as soon as its overlap is over', async () => {
    const until = (time: string) => made(`previous_secret = 'old', previous_secret_until = clock_timestamp() ${time}`);
    const [over, lasting] = [await until(`- interval '1 s'`), await until(`+ interval '1 hour'`)];
    const never = await made('description = $$none$$');
    await purge('webhook_endpoints');
    const rows = await house.sql(
      'select id, previous_secret, previous_secret_until is null as is_over from webhook_endpoints order by id',
    );
    expect(rows).toEqual([
      { id: over, previous_secret: null, is_over: true },
      { id: lasting, previous_secret: 'old', is_over: false },
      { id: never, previous_secret: null, is_over: true },
    ]);
    await house.sql('delete from webhook_endpoints');
  });

  test('a spell of failures ends when there was nothing to send for a day', async () => {
    const failing = (days: number) => made(`failing_since = ${ago(days)}, failing_told_at = ${ago(days - 1)}`);
    const tried = async (endpointId: string, state: string, days: number) => {
      const ids = { organizationId: house.organizationId, endpointId };
      const [id] = await deliveries(house.sql, ids, { state: state === 'pending' ? 'later' : 'purged' });
      await house.sql(
        `insert into webhook_attempts (id, organization_id, delivery_id, endpoint_id, number, duration_ms, created_at)
         values (uuidv7(-$4::int * interval '1 day'), $1, $2, $3, 11, 1, ${ago(days)})`,
        [house.organizationId, id, endpointId, days],
      );
    };
    const [quiet, attempted, waiting, fresh, purged] = [
      await failing(9),
      await failing(9),
      await failing(9),
      await made(`failing_since = ${ago(0)}`),
      await failing(90),
    ];
    await tried(quiet, 'failed', 2);
    await tried(attempted, 'failed', 2);
    await tried(attempted, 'failed', 0);
    await tried(waiting, 'pending', 2);
    expect((await purge('webhook_endpoints')).deleted).toEqual({ webhook_endpoints: 0 });
    const rows = await house.sql<{ id: string; is_told: boolean }>(
      `select id, failing_told_at is not null as is_told
         from webhook_endpoints
        where failing_since is not null
        order by id`,
    );
    expect(rows).toEqual([
      { id: attempted, is_told: true },
      { id: waiting, is_told: true },
      { id: fresh, is_told: false },
    ]);
    const ended = await house.sql('select failing_told_at from webhook_endpoints where id = any($1)', [[quiet, purged]]);
    expect(ended).toEqual([{ failing_told_at: null }, { failing_told_at: null }]);
    await house.sql('delete from jobs');
    await house.sql('delete from events');
    await house.sql('delete from webhook_endpoints');
  });

  test('deleted ones 30 days after, with their pools, unless a delivery still shows them; others never', async () => {
    const [gone, young, shown] = [
      await made(`deleted_at = ${ago(31)}`),
      await made(`deleted_at = ${ago(29)}`),
      await made(`deleted_at = ${ago(31)}`),
    ];
    const live = await made(`created_at = ${ago(90)}`);
    await house.sql(`insert into pools (organization_id, id, width) values ($1, 'endpoint:' || $2 || ':drain', 10)`, [
      house.organizationId,
      gone,
    ]);
    await house.sql(
      `with e as (
         insert into events (id, organization_id, type, subject_type, subject_id, data)
         values (uuidv7(), $1, 'message.sent', 'conversation', uuidv7(), '{}') returning id)
       insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state) select uuidv7(), $1, id, $2, 'cancelled' from e`,
      [house.organizationId, shown],
    );
    expect((await purge('webhook_endpoints')).deleted).toEqual({ webhook_endpoints: 1 });
    expect(await house.sql('select id from webhook_endpoints order by id')).toEqual([young, shown, live].map((id) => ({ id })));
    const pools = await house.sql(`select id from pools where id like 'endpoint:%' order by id`);
    expect(pools).toEqual([young, shown, live].map((id) => ({ id: `endpoint:${id}` })));
    await house.sql('delete from events');
    expect((await purge('webhook_endpoints')).deleted).toEqual({ webhook_endpoints: 1 });
  });
});

test('every table has a purge or a reason to be kept', async () => {
  const tables = await house.sql<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('toys', 'played')`,
  );
  const known = [...purges.flatMap((one) => one.tables), ...Object.keys(kept)];
  expect(tables.map(({ name }) => name).sort()).toEqual([...known].sort());
  expect(new Set(known).size).toBe(known.length);
});

describe.each([
  ['contact_imports', 'contact_import', 'contacts.import'],
  ['crm_imports', 'crm_import', 'crm.import'],
])('%s', (table, subject, job) => {
  const chunks = `${subject}_chunks`;
  test('ended ones after 30 days, uploads broken off after one, with their chunks; none that can be retried', async () => {
    const make = (state: string, days: number) =>
      house.sql<{ id: string }>(
        `with i as (insert into ${table} (id, organization_id, state, actor, created_at, finished_at)
           values (uuidv7(), $1, $2, 'cli', ${ago(days)}, case when $2 in ('succeeded', 'failed') then ${ago(days)} end) returning *)
         insert into ${chunks} (organization_id, import_id, number, bytes) select organization_id, id, 0, 'a' from i returning import_id as id`,
        [house.organizationId, state],
      );
    for (const [state, days] of [
      ['uploading', 2],
      ['uploading', 0],
      ['running', 90],
      ['succeeded', 31],
      ['succeeded', 29],
      ['failed', 31],
    ] as const)
      await make(state, days);
    const [{ id } = { id: '' }] = await make('failed', 40);
    await house.sql(
      `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
       values (uuidv7(), $1, $3, 'default', '{}', $4, $2, 'failed', clock_timestamp())`,
      [house.organizationId, id, job, subject],
    );
    expect((await purge(table)).deleted).toEqual({ [table]: 3 });
    expect([await count(table), await count(chunks)]).toEqual([4, 4]);
  });
});

test.each(['contact_imports', 'crm_imports', 'contact_exports'])(
  '%s go a few at a time: with each goes a file',
  async (table) => {
    await house.sql(`delete from ${table}`);
    await house.sql(
      `insert into ${table} (id, organization_id, state, actor, finished_at) select uuidv7(), $1, 'succeeded', 'cli', ${ago(90)} from generate_series(1, 4)`,
      [house.organizationId],
    );
    const { batches } = await purge(table);
    expect(batches.map((deleted) => deleted[table]).filter(Boolean)).toEqual([3, 1]);
  },
);

describe('contact_exports', () => {
  test('ended ones after 7 days, with their files; none that can be retried', async () => {
    const make = async (state: string, days: number) => {
      const [row] = await house.sql<{ id: string }>(
        `with i as (insert into contact_exports (id, organization_id, state, actor, created_at, finished_at)
           values (uuidv7(), $1, $2, 'cli', ${ago(days)}, case when $2 in ('succeeded', 'failed') then ${ago(days)} end) returning *)
         insert into contact_export_chunks (organization_id, export_id, number, bytes) select organization_id, id, 0, 'a' from i returning export_id as id`,
        [house.organizationId, state],
      );
      return row!.id;
    };
    const job = (id: string, state: string) =>
      house.sql(
        `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
         values (uuidv7(), $1, 'contacts.export', 'default', '{}', 'contact_export', $2, $3, clock_timestamp())`,
        [house.organizationId, id, state],
      );
    await job(await make('succeeded', 8), 'done');
    await job(await make('failed', 8), 'failed');
    for (const [state, days] of [
      ['succeeded', 6],
      ['failed', 8],
      ['running', 90],
    ] as const)
      await make(state, days);
    expect((await purge('contact_exports')).deleted).toEqual({ contact_exports: 2 });
    expect([await count('contact_exports'), await count('contact_export_chunks')]).toEqual([3, 3]);
  });
});

test('the secret of a flow before a rotation goes as soon as its overlap is over', async () => {
  const flows = await house.sql(
    `insert into flows (id, organization_id, name, category, categories, builder_json, flow_json, json_version, local_sha256)
     select uuidv7(), $1, 'F' || n, 'other', '{other}', '{}', '{}', '7.2', '' from generate_series(1, 3) n returning id`,
    [house.organizationId],
  );
  const [over, lasting, never] = flows.map(({ id }) => id);
  await house.sql(
    `insert into flow_secrets (organization_id, flow_id, secret, previous_secret, previous_secret_until)
     values ($1, $2, 's', 'old', clock_timestamp() - interval '1 s'),
            ($1, $3, 's', 'old', clock_timestamp() + interval '1 hour'),
            ($1, $4, 's', null, null)`,
    [house.organizationId, over, lasting, never],
  );
  await purge('flow_secrets');
  const rows = await house.sql('select flow_id, secret, previous_secret from flow_secrets order by flow_id');
  expect(rows).toEqual([
    { flow_id: over, secret: 's', previous_secret: null },
    { flow_id: lasting, secret: 's', previous_secret: 'old' },
    { flow_id: never, secret: 's', previous_secret: null },
  ]);
});

test('a key before a rotation goes as soon as its overlap is over', async () => {
  const [channel] = await house.sql('select id from channels where organization_id = $1', [house.organizationId]);
  await house.sql(
    `insert into flow_keys (id, organization_id, channel_id, state, private_key, public_key, expires_at)
     select uuidv7(), $1, $2, state, 'sealed', 'public', expires_at
       from (values ('previous', clock_timestamp() - interval '1 s'), ('current', null), ('uploading', null)) k (state, expires_at)`,
    [house.organizationId, channel!.id],
  );
  expect((await purge('flow_secrets')).deleted).toMatchObject({ flow_keys: 1 });
  const states = 'select state from flow_keys order by state';
  expect(await house.sql(states)).toEqual([{ state: 'current' }, { state: 'uploading' }]);
  await house.sql(
    `update flow_keys set state = 'previous', expires_at = clock_timestamp() + interval '1 hour' where state = 'current'`,
  );
  expect((await purge('flow_secrets')).deleted).toMatchObject({ flow_keys: 0 });
  expect(await house.sql(states)).toEqual([{ state: 'previous' }, { state: 'uploading' }]);
});
