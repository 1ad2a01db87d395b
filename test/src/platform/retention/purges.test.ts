import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { EntityData, EntityName, FilterQuery, InferEntity } from '@mikro-orm/core';
import { ContactExport, ContactExportChunk, type ExportState } from '../../../../src/contacts/export/export.entity.ts';
import { exportContactsJob } from '../../../../src/contacts/export/jobs.ts';
import { ContactImport, ContactImportChunk } from '../../../../src/contacts/import/import.entity.ts';
import { importContactsJob } from '../../../../src/contacts/import/jobs.ts';
import { FlowSecret } from '../../../../src/flows/exchange/secret.entity.ts';
import { FlowKey } from '../../../../src/flows/key.entity.ts';
import { CrmImport, CrmImportChunk } from '../../../../src/imports/import.entity.ts';
import { importCrmJob } from '../../../../src/imports/jobs.ts';
import { MediaAsset } from '../../../../src/media/asset.entity.ts';
import { MediaUpload } from '../../../../src/messaging/files/file.entity.ts';
import { Message } from '../../../../src/messaging/message.entity.ts';
import { conversationOf, retryLocks, retryMessage } from '../../../../src/messaging/retry.ts';
import { Onboarding, type Step, type StepStatus } from '../../../../src/onboarding/onboarding.entity.ts';
import { type NewRow, type OwnEntity, ownRows } from '../../../../src/platform/database/own.ts';
import { Event } from '../../../../src/platform/events/event.entity.ts';
import { IdempotencyKey } from '../../../../src/platform/idempotency/idempotency-key.entity.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import type { ImportState } from '../../../../src/platform/imports/columns.ts';
import { checkJobs } from '../../../../src/platform/ledger/check.ts';
import { Job, type JobState, Pool } from '../../../../src/platform/ledger/jobs.entity.ts';
import { drainPool, endpointPool, setPool } from '../../../../src/platform/ledger/pools.ts';
import { retryJob } from '../../../../src/platform/ledger/retry.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { Heartbeat } from '../../../../src/platform/process/heartbeat.entity.ts';
import { kept } from '../../../../src/platform/retention/not-purged.ts';
import type { Deleted } from '../../../../src/platform/retention/purge.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import {
  ProviderWebhook,
  type ProviderWebhookState,
  type UnmatchedState,
  UnmatchedStatus,
} from '../../../../src/provider-webhooks/provider-webhook.entity.ts';
import type { InboundStatus } from '../../../../src/providers/messaging-app/inbound.ts';
import { Delivery, DeliveryAttempt, WebhookEndpoint } from '../../../../src/webhooks/endpoint.entity.ts';
import { channel } from '../../../support/factories/channel.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { deliveries } from '../../../support/factories/deliveries.ts';
import { endpoint } from '../../../support/factories/endpoint.ts';
import { flowAtProvider } from '../../../support/factories/flow-at-provider.ts';
import { queuedMessage } from '../../../support/factories/message.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { dayMs, hourMs, idInMs, inMs, secondMs } from '../../../support/rules/clock.ts';
import { storeEvent } from '../../../support/rules/events.ts';
import { storeIdempotencyKeys } from '../../../support/rules/idempotency-keys.ts';
import { deleteJobs, setJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { storeRow, storeRows, times } from '../../../support/rules/rows.ts';
import { setToyStatus } from '../../../support/rules/toys.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(() => house.reset('idempotency_keys', 'provider_webhooks', 'unmatched_statuses', 'heartbeats', 'purges'));

const ago = (days: number) => inMs(-days * dayMs);
const count = <Stored extends object>(entity: EntityName<Stored>, where: FilterQuery<NoInfer<Stored>> = {}) =>
  house.em().count(entity, where);
const store = <Entity extends OwnEntity>(entity: Entity, row: NewRow<InferEntity<Entity>>) =>
  storeRow(house.em(), house.organizationId, entity, row);

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

/** Jobs in an ended state since so many days. */
const ended = (state: JobState, days: number, count: number) =>
  storeJobs(house.em(), house.organizationId, { state, count, createdInMs: -days * dayMs, finishedInMs: -days * dayMs });

test('onboardings: those not completed 30 days after their last change, unless a job still has one', async () => {
  const made = (step: Step, status: StepStatus, days: number) =>
    store(Onboarding, {
      current_step: step,
      step_status: status,
      completed_steps: [],
      rate: 80,
      created_at: ago(days + 1),
      updated_at: ago(days),
    });
  await made('register_phone', 'failed', 31);
  await made('register_phone', 'pending', 29);
  await made('completed', 'completed', 400);
  const id = await made('sync_assets', 'in_progress', 31);
  await storeJobs(house.em(), house.organizationId, { subjectIds: [id] });
  expect((await purge('onboardings')).deleted).toEqual({ onboardings: 1 });
  expect((await purge('onboardings', { retentionOnboardingsDays: 20 })).deleted).toEqual({ onboardings: 1 });
  expect(await count(Onboarding)).toBe(2);
  await house.em().nativeDelete(Onboarding, {});
});

describe('jobs', () => {
  test('done ones after 7 days, failed ones after 30, in batches; what is younger or alive stays', async () => {
    await ended('done', 8, 25);
    await ended('done', 6, 3);
    await ended('failed', 31, 12);
    await ended('failed', 29, 4);
    const { id } = await house.accept();
    await setJobs(house.em(), { created_at: ago(90), run_at: ago(90) }, { id });
    const { deleted, batches } = await purge('jobs');
    expect(deleted).toEqual({ jobs: 37 });
    expect(batches.map(({ jobs }) => jobs)).toEqual([10, 10, 5, 10, 2]);
    expect(await count(Job, { state: 'done' })).toBe(3);
    expect(await count(Job, { state: 'failed' })).toBe(4);
    expect(await count(Job, { state: 'queued' })).toBe(1);
    expect(await count(Job)).toBe(8);
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
    await setJobs(house.em(), { state: 'failed', finished_at: ago(31) }, { id: jobId });
    const failure = { code: 'provider_refused', provider_code: null, message: 'no' };
    await house.em().nativeUpdate(Message, { id: messageId }, { status: 'failed', failure });
    expect((await purge('jobs')).deleted).toEqual({ jobs: 1 });
    expect(await checkJobs(house.database)).toEqual([]);

    await expect(retryJob(house.ledger.transact, jobId)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('it was purged'),
    });
    const look = () => conversationOf(ownRows(house.database, house.organizationId), messageId);
    const transact = transactFor(house.ledger.transact, house.organizationId);
    await transact({ look, locks: retryLocks }, (tx) => retryMessage(tx, messageId, false));
    const message = await house.em().findOneOrFail(Message, { id: messageId });
    expect(message.status).toBe('queued');
    expect(message.failure).toBeNull();
    expect(await checkJobs(house.database)).toEqual([]);
    await house.em().nativeDelete(Message, {});
  });

  test('a row purged in the middle of its retry leaves the subject as it was', async () => {
    const { id, toyId } = await house.accept();
    await setJobs(house.em(), { state: 'failed', finished_at: ago(31) }, { id });
    await setToyStatus(house.em(), toyId, 'failed');
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
  await storeIdempotencyKeys(house.em(), house.organizationId, 23, 25 * hourMs);
  await storeIdempotencyKeys(house.em(), house.organizationId, 4, 23 * hourMs);
  const { deleted, batches } = await purge('idempotency_keys');
  expect(deleted).toEqual({ idempotency_keys: 23 });
  expect(batches).toHaveLength(3);
  expect(await count(IdempotencyKey)).toBe(4);
});

describe('bodies of the provider', () => {
  const bodies = (state: ProviderWebhookState, days: number, count = 1) => {
    const applied_at = state === 'applied' ? ago(days) : null;
    const body = { body: Buffer.from('[]'), state, received_at: ago(days), applied_at };
    return storeRows(
      house.em(),
      house.organizationId,
      ProviderWebhook,
      times(count, () => body),
    );
  };

  test('applied ones after 7 days, broken ones after 30, one that waits never', async () => {
    await bodies('applied', 8, 21);
    await bodies('applied', 6, 2);
    await bodies('broken', 31, 3);
    await bodies('broken', 29, 5);
    await bodies('received', 90, 7);
    const { deleted, batches } = await purge('provider_webhooks');
    expect(deleted).toEqual({ provider_webhooks: 24 });
    expect(batches).toHaveLength(4);
    expect(await count(ProviderWebhook, { state: 'applied' })).toBe(2);
    expect(await count(ProviderWebhook, { state: 'broken' })).toBe(5);
    expect(await count(ProviderWebhook, { state: 'received' })).toBe(7);
  });

  test('a broken one stays as long as its failed job, which can be retried', async () => {
    await bodies('broken', 31);
    const { id } = await house.em().findOneOrFail(ProviderWebhook, { state: 'broken' });
    await storeJobs(house.em(), house.organizationId, { state: 'failed', subjectIds: [id], finishedInMs: -dayMs });
    expect((await purge('provider_webhooks')).deleted).toEqual({ provider_webhooks: 0 });
    await deleteJobs(house.em());
    expect((await purge('provider_webhooks')).deleted).toEqual({ provider_webhooks: 1 });
  });
});

test('statuses that waited for their message, 7 days after; one that still waits never', async () => {
  const { id } = await channel(house.em(), house.organizationId);
  const statuses = (state: UnmatchedState, days: number, count: number) =>
    storeRows(
      house.em(),
      house.organizationId,
      UnmatchedStatus,
      times(count, () => ({
        channel_id: id,
        provider_message_id: 'wamid',
        status: {} as InboundStatus,
        state,
        received_at: ago(days),
      })),
    );
  await statuses('matched', 8, 11);
  await statuses('dropped', 8, 11);
  await statuses('dropped', 6, 1);
  await statuses('waiting', 90, 2);
  const { deleted, batches } = await purge('unmatched_statuses');
  expect(deleted).toEqual({ unmatched_statuses: 22 });
  expect(batches).toHaveLength(3);
  expect(await count(UnmatchedStatus, { state: 'waiting' })).toBe(2);
  expect(await count(UnmatchedStatus)).toBe(3);
});

test("the provider's ids of sent files, 30 days after: it does not have them any more", async () => {
  for (let number = 1; number <= 15; number += 1) {
    const asset_id = await store(MediaAsset, {
      storage_key: String(number),
      kind: 'image',
      source: 'upload',
      mime_type: 'image/png',
      size_bytes: '1',
      sha256: '',
    });
    const uploaded_at = ago(number > 12 ? 29 : 31);
    await store(MediaUpload, { asset_id, phone_number_id: '1', media_id: '2', uploaded_at });
  }
  expect((await purge('media_uploads')).deleted).toEqual({ media_uploads: 12 });
  expect(await count(MediaUpload)).toBe(3);
});

test('heartbeats of processes that have been gone for 7 days', async () => {
  const beats = (days: number, count: number) =>
    house.em().insertMany(
      Heartbeat,
      times(count, () => ({ process_id: uuidv7(), process: 'web' as const, since: ago(90), seen_at: ago(days) })),
    );
  await beats(8, 12);
  await beats(6, 2);
  expect((await purge('heartbeats')).deleted).toEqual({ heartbeats: 12 });
  expect(await count(Heartbeat)).toBe(2);
});

describe('webhook endpoints', () => {
  const made = async (change: EntityData<InferEntity<typeof WebhookEndpoint>>) => {
    const { id } = await endpoint(house.ledger.transact, house.organizationId);
    await house.em().nativeUpdate(WebhookEndpoint, { id }, change);
    return id;
  };

  test('the secret before a rotation as soon as its overlap is over', async () => {
    const until = (ms: number) => made({ previous_secret: 'old', previous_secret_until: inMs(ms) });
    const [over, lasting] = [await until(-secondMs), await until(hourMs)];
    const never = await made({ description: 'none' });
    await purge('webhook_endpoints');
    const endpoints = await house.em().find(WebhookEndpoint, {}, { orderBy: { id: 'asc' } });
    expect(endpoints).toMatchObject([
      { id: over, previous_secret: null, previous_secret_until: null },
      { id: lasting, previous_secret: 'old', previous_secret_until: expect.any(String) },
      { id: never, previous_secret: null, previous_secret_until: null },
    ]);
    await house.em().nativeDelete(WebhookEndpoint, {});
  });

  test('a spell of failures ends when there was nothing to send for a day', async () => {
    const failing = (days: number) => made({ failing_since: ago(days), failing_told_at: ago(days - 1) });
    const tried = async (endpointId: string, state: string, days: number) => {
      const ids = { organizationId: house.organizationId, endpointId };
      const [id] = await deliveries(house.sql, ids, { state: state === 'pending' ? 'later' : 'purged' });
      await store(DeliveryAttempt, {
        id: idInMs(-days * dayMs),
        delivery_id: id!,
        endpoint_id: endpointId,
        number: 11,
        duration_ms: 1,
        created_at: ago(days),
      });
    };
    const [quiet, attempted, waiting, fresh, purged] = [
      await failing(9),
      await failing(9),
      await failing(9),
      await made({ failing_since: ago(0) }),
      await failing(90),
    ];
    await tried(quiet, 'failed', 2);
    await tried(attempted, 'failed', 2);
    await tried(attempted, 'failed', 0);
    await tried(waiting, 'pending', 2);
    expect((await purge('webhook_endpoints')).deleted).toEqual({ webhook_endpoints: 0 });
    const failing_since = { $ne: null };
    expect(await house.em().find(WebhookEndpoint, { failing_since }, { orderBy: { id: 'asc' } })).toMatchObject([
      { id: attempted, failing_told_at: expect.any(String) },
      { id: waiting, failing_told_at: expect.any(String) },
      { id: fresh, failing_told_at: null },
    ]);
    const over = await house.em().find(WebhookEndpoint, { id: { $in: [quiet, purged] } });
    expect(over).toMatchObject([{ failing_told_at: null }, { failing_told_at: null }]);
    await deleteJobs(house.em());
    await house.em().nativeDelete(Event, {});
    await house.em().nativeDelete(WebhookEndpoint, {});
  });

  test('deleted ones 30 days after, with their pools, unless a delivery still shows them; others never', async () => {
    const [gone, young, shown] = [
      await made({ deleted_at: ago(31) }),
      await made({ deleted_at: ago(29) }),
      await made({ deleted_at: ago(31) }),
    ];
    const live = await made({ created_at: ago(90) });
    await setPool(house.em(), house.pool(drainPool(gone)), 10, null);
    const event_id = await storeEvent(house.em(), house.organizationId, {
      type: 'message.sent',
      subjectType: 'conversation',
      subjectId: uuidv7(),
    });
    await store(Delivery, { event_id, endpoint_id: shown, state: 'cancelled' });
    expect((await purge('webhook_endpoints')).deleted).toEqual({ webhook_endpoints: 1 });
    const endpoints = await house.em().find(WebhookEndpoint, {}, { orderBy: { id: 'asc' } });
    expect(endpoints.map(({ id }) => id)).toEqual([young, shown, live]);
    const pools = await house.em().find(Pool, { id: { $like: 'endpoint:%' } }, { orderBy: { id: 'asc' } });
    expect(pools.map(({ id }) => id)).toEqual([young, shown, live].map(endpointPool));
    await house.em().nativeDelete(Event, {});
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
  ['contact_imports', ContactImport, ContactImportChunk, importContactsJob],
  ['crm_imports', CrmImport, CrmImportChunk, importCrmJob],
])('%s', (table, entity, chunks, job) => {
  test('ended ones after 30 days, uploads broken off after one, with their chunks; none that can be retried', async () => {
    const make = async (state: ImportState, days: number) => {
      const finished_at = state === 'succeeded' || state === 'failed' ? ago(days) : null;
      const id = await store(entity as typeof ContactImport, { state, actor: 'cli', created_at: ago(days), finished_at });
      await store(chunks as typeof ContactImportChunk, { import_id: id, number: 0, bytes: Buffer.from('a') });
      return id;
    };
    for (const [state, days] of [
      ['uploading', 2],
      ['uploading', 0],
      ['running', 90],
      ['succeeded', 31],
      ['succeeded', 29],
      ['failed', 31],
    ] as const)
      await make(state, days);
    const id = await make('failed', 40);
    await storeJobs(house.em(), house.organizationId, {
      name: job.name,
      subjectType: job.subjectType,
      subjectIds: [id],
      state: 'failed',
    });
    expect((await purge(table)).deleted).toEqual({ [table]: 3 });
    expect(await count(entity as typeof ContactImport)).toBe(4);
    expect(await count(chunks as typeof ContactImportChunk)).toBe(4);
  });
});

test.each([
  ['contact_imports', ContactImport],
  ['crm_imports', CrmImport],
  ['contact_exports', ContactExport],
])('%s go a few at a time: with each goes a file', async (table, entity) => {
  const of = entity as typeof ContactImport;
  await house.em().nativeDelete(of, {});
  const ended = { state: 'succeeded', actor: 'cli', finished_at: ago(90) } as const;
  await storeRows(
    house.em(),
    house.organizationId,
    of,
    times(4, () => ended),
  );
  const { batches } = await purge(table);
  expect(batches.map((deleted) => deleted[table]).filter(Boolean)).toEqual([3, 1]);
});

describe('contact_exports', () => {
  test('ended ones after 7 days, with their files; none that can be retried', async () => {
    const make = async (state: ExportState, days: number) => {
      const finished_at = state === 'succeeded' || state === 'failed' ? ago(days) : null;
      const id = await store(ContactExport, { state, actor: 'cli', created_at: ago(days), finished_at });
      await store(ContactExportChunk, { export_id: id, number: 0, bytes: Buffer.from('a') });
      return id;
    };
    const { name, subjectType } = exportContactsJob;
    const job = (id: string, state: JobState) =>
      storeJobs(house.em(), house.organizationId, { name, subjectType, subjectIds: [id], state });
    await job(await make('succeeded', 8), 'done');
    await job(await make('failed', 8), 'failed');
    for (const [state, days] of [
      ['succeeded', 6],
      ['failed', 8],
      ['running', 90],
    ] as const)
      await make(state, days);
    expect((await purge('contact_exports')).deleted).toEqual({ contact_exports: 2 });
    expect(await count(ContactExport)).toBe(3);
    expect(await count(ContactExportChunk)).toBe(3);
  });
});

test('the secret of a flow before a rotation goes as soon as its overlap is over', async () => {
  const { id: channelId, accountId } = await channel(house.em(), house.organizationId);
  const withSecret = async (previous: { previous_secret?: string; previous_secret_until?: string }) => {
    const { id: flow_id } = await flowAtProvider(house.em(), house.organizationId, channelId, { accountId });
    await store(FlowSecret, { flow_id, secret: 's', ...previous });
    return flow_id;
  };
  const over = await withSecret({ previous_secret: 'old', previous_secret_until: inMs(-secondMs) });
  const lasting = await withSecret({ previous_secret: 'old', previous_secret_until: inMs(hourMs) });
  const never = await withSecret({});
  await purge('flow_secrets');
  expect(await house.em().find(FlowSecret, {}, { orderBy: { flow_id: 'asc' } })).toMatchObject([
    { flow_id: over, secret: 's', previous_secret: null },
    { flow_id: lasting, secret: 's', previous_secret: 'old' },
    { flow_id: never, secret: 's', previous_secret: null },
  ]);
});

test('a key before a rotation goes as soon as its overlap is over', async () => {
  const { id: channel_id } = await channel(house.em(), house.organizationId);
  const sealed = { channel_id, private_key: 'sealed', public_key: 'public' };
  await store(FlowKey, { ...sealed, state: 'previous', expires_at: inMs(-secondMs) });
  await store(FlowKey, { ...sealed, state: 'current' });
  await store(FlowKey, { ...sealed, state: 'uploading' });
  expect((await purge('flow_secrets')).deleted).toMatchObject({ flow_keys: 1 });
  const states = async () => (await house.em().find(FlowKey, {}, { orderBy: { state: 'asc' } })).map(({ state }) => state);
  expect(await states()).toEqual(['current', 'uploading']);
  await house.em().nativeUpdate(FlowKey, { state: 'current' }, { state: 'previous', expires_at: inMs(hourMs) });
  expect((await purge('flow_secrets')).deleted).toMatchObject({ flow_keys: 0 });
  expect(await states()).toEqual(['previous', 'uploading']);
});
