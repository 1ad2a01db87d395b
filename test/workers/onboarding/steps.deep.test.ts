import { describe, expect, test } from '@jest/globals';
import type { WorkStep } from '../../../src/onboarding/onboarding.entity.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { useApp } from '../../support/app.ts';
import { type NewNumber, onboarding } from '../../support/onboarding.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelRows, onboardingRows } from '../../support/work/channels.ts';
import { operationEnds, runAgain } from '../../support/work/operations.ts';

const app = useApp({ workers: true });
const { codeFor, newNumber, start, ask, through, read, fault, calls } = onboarding(app);
const all: WorkStep[] = ['exchange_token', 'subscribe_webhook', 'register_phone', 'sync_assets'];
const until = (step: WorkStep) => all.slice(0, all.indexOf(step));
const paths: Record<WorkStep, string> = {
  exchange_token: 'oauth/access_token',
  subscribe_webhook: '/subscribed_apps',
  register_phone: '/register',
  sync_assets: '/message_templates',
};

/** Of the step and of the sync of the channel that it connects, whichever comes first. */
const refuseTemplates = ({ wabaId }: NewNumber) => fault(`${wabaId}/message_templates`, { status: 403, code: 10, times: 2 });

async function at(step: WorkStep) {
  const [id, number] = [await start(), await newNumber()];
  await through(id, number, ...until(step));
  return { id, number };
}

/** The job as it stood when its worker died, to be run once more. */
const again = (id: string) => runAgain(app, id);

const told = async (id: string) => (await app.events(id)).length;

describe('a run of what is done asks and tells nothing more', () => {
  test.each(all)('%s', async (step) => {
    const { id, number } = await at(step);
    const { headers } = await ask(step, id, number);
    // The channel that the last step connects reads its templates too.
    await app.idle();
    const [record, events, asked] = [await read(id), await told(id), await calls(paths[step], 'GET')];
    await again(headers.get('operation-id')!);
    expect([await read(id), await told(id)]).toEqual([record, events]);
    expect(await calls(paths[step], 'GET')).toBe(asked);
  });
});

describe('a worker that died after the provider had done it: the step is done again, and ends', () => {
  test.each(['subscribe_webhook', 'register_phone', 'sync_assets'] as const)('%s', async (step) => {
    const { id, number } = await at(step);
    const before = await onboardingRows.one(app, id);
    const pin = app.web.deps.secrets.seal('246813');
    const operationId = (await ask(step, id, number)).headers.get('operation-id')!;
    const ended = await read(id);
    await onboardingRows.change(app, id, {
      current_step: step,
      step_status: 'in_progress',
      completed_steps: until(step),
      access_token: before.access_token,
      pin,
    });
    await again(operationId);
    expect(await read(id)).toEqual({ ...ended, updated_at: expect.any(String) });
    const channels = await app.rows('select 1 from channels where phone_number_id = $1', [number.phoneNumberId]);
    expect(channels).toHaveLength(step === 'sync_assets' ? 1 : 0);
  });
});

describe('an answer that is lost', () => {
  test.each(['subscribe_webhook', 'register_phone', 'sync_assets'] as const)('%s is asked once more', async (step) => {
    const { id, number } = await at(step);
    await fault(paths[step], { kind: 'drop_after' });
    const { status, body } = await ask(step, id, number);
    expect([status, body.completed_steps]).toEqual([200, [...until(step), step]]);
  });

  test('exchange_token: the code is spent, so the step fails, and another code goes on', async () => {
    const { id, number } = await at('exchange_token');
    await fault(paths.exchange_token, { kind: 'drop_after' });
    const refused = await ask('exchange_token', id, number);
    expect(refused.body.error.message).toBe('This authorization code has been used.');
    expect(await read(id)).toMatchObject({ step_status: 'failed', error: 'This authorization code has been used. (100)' });
    const { body } = await ask('exchange_token', id, { ...number, code: await codeFor(number.phoneNumberId) });
    expect(body.completed_steps).toEqual(['exchange_token']);
  });

  test('exchange_token: one that never got there is asked once more', async () => {
    const { id, number } = await at('exchange_token');
    await fault(paths.exchange_token, { kind: 'drop_before' });
    expect((await ask('exchange_token', id, number)).body.completed_steps).toEqual(['exchange_token']);
  });
});

test('a retry by hand: once, and not when the onboarding has moved on', async () => {
  const { id, number } = await at('register_phone');
  await fault('/register', { status: 400, code: 133005 });
  const operationId = (await ask('register_phone', id, number)).headers.get('operation-id')!;
  const { transact } = app.web.deps.ledger;
  expect(await retryJob(transact, operationId)).toBe(true);
  await waitFor('the step', async () => (await read(id)).current_step === 'sync_assets');

  await refuseTemplates(number);
  const failed = (await ask('sync_assets', id, number)).headers.get('operation-id')!;
  await app.idle();
  expect((await ask('sync_assets', id, number)).body.current_step).toBe('completed');
  await expect(retryJob(transact, failed)).rejects.toMatchObject({ code: 'conflict' });
});

test('an onboarding whose step failed is deleted with its secrets, and its step cannot be retried', async () => {
  const { id, number } = await at('register_phone');
  await fault('/register', { status: 400, code: 133005 });
  const operationId = (await ask('register_phone', id, number)).headers.get('operation-id')!;
  const stored = await onboardingRows.one(app, id, ['step_status', 'access_token']);
  expect(stored).toEqual({ step_status: 'failed', access_token: expect.any(String) });
  expect((await app.call('onboarding.delete', { params: { progressID: id } })).status).toBe(204);
  await expect(retryJob(app.web.deps.ledger.transact, operationId)).rejects.toMatchObject({ code: 'conflict' });
  expect((await ask('register_phone', id, number)).status).toBe(404);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});

describe('the channel that the last step connected, once its templates could not be read', () => {
  async function connected() {
    const { id, number } = await at('sync_assets');
    await refuseTemplates(number);
    expect((await ask('sync_assets', id, number)).status).toBe(422);
    await app.idle();
    const { channel_id } = await onboardingRows.one(app, id, ['channel_id']);
    expect(channel_id).toEqual(expect.any(String));
    return { id, number, channelID: channel_id as string };
  }
  const channelOf = (id: string) => channelRows.one(app, id, ['status', 'access_token']);

  test('is left as it is by another try: disconnected, with the token it has', async () => {
    const { id, number, channelID } = await connected();
    await app.call('channels.disconnect', { params: { channelID } });
    const before = await channelOf(channelID);
    expect((await ask('sync_assets', id, number)).body.current_step).toBe('completed');
    expect(await channelOf(channelID)).toEqual(before);
    expect(before.status).toBe('disconnected');
  });

  test('is not connected again after it was deleted: the step fails', async () => {
    const { id, number, channelID } = await connected();
    expect((await app.call('channels.delete', { params: { channelID } })).status).toBe(204);
    await ask('sync_assets', id, number);
    const { step_status, error } = await read(id);
    expect([step_status, error]).toEqual(['failed', expect.stringContaining('channel_deleted')]);
    expect(await channelRows.count(app, { phone_number_id: number.phoneNumberId })).toBe(1);
  });
});

test('the ledger is clean while a step is at work, and when it is done', async () => {
  const { id, number } = await at('register_phone');
  await fault('/register', { kind: 'delay', delay_ms: 3_000 });
  const asked = await ask('register_phone', id, number, { prefer: 'wait=0' });
  const operationId = asked.headers.get('operation-id')!;
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  await waitFor('the end', async () => (await read(id)).current_step === 'sync_assets');
  await operationEnds(app, operationId);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});
