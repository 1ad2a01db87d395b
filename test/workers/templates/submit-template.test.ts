import { expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { asked, body, definition, statusUpdates, templateIs, templateOf } from '../../support/templates.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelRows, templateRows } from '../../support/work/channels.ts';
import { operationEnds, runAgain } from '../../support/work/operations.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true, workerEnv: { PROVIDER_TIMEOUT_MS: '2000' } });
const create = async (channel: Channel, more: object = {}) => {
  const { body: template, headers } = await app.call('templates.create', { body: definition(channel, more) });
  return { id: String(template.id), name: String(template.name), operationId: headers.get('operation-id')! };
};
const fault = (channel: Channel, more: object) =>
  app.control('POST', '/faults', { match: { path: `${channel.wabaId}/message_templates`, method: 'POST' }, ...more });
const posts = async (channel: Channel) => (await asked(app, channel)).length;
/** Between the first try of its submission, which fails, and the next one, however slow the machine is. */
async function afterFirstTry(id: string, act: () => Promise<unknown>) {
  const nextIn = (wait: string) =>
    app.rows(
      `update jobs set run = run + 1, run_at = clock_timestamp() + $2::interval, check_at = clock_timestamp() + $2::interval
        where subject_id = $1 and state = 'queued' and attempts = 1 and run_at > clock_timestamp() returning id`,
      [id, wait],
    );
  await waitFor('the first try', async () => (await nextIn('1 hour')).length === 1);
  await act();
  await nextIn('0');
}

/** The job as it stood, to be run once more. */
const again = (id: string) => runAgain(app, id);

test('a run of what has been done asks and tells nothing more', async () => {
  const channel = await app.connect();
  const { id, operationId } = await create(channel);
  const template = await templateIs(app, id, { status: 'approved', doing: null });
  const told = (await statusUpdates(app, id)).length;
  await operationEnds(app, operationId);
  await again(operationId);
  expect(await templateOf(app, id)).toEqual(template);
  expect([await posts(channel), (await statusUpdates(app, id)).length]).toEqual([1, told]);
});

test('an answer that was lost: the provider is looked at before anything is submitted again', async () => {
  const channel = await app.connect();
  await fault(channel, { kind: 'drop_after' });
  const { id } = await create(channel);
  const template = await templateIs(app, id, { status: 'approved', doing: null });
  expect([await posts(channel), template.failure]).toEqual([1, null]);
  const there = await app.control('GET', '/accounts');
  const { templates } = there.accounts.find((one: { waba_id: string }) => one.waba_id === channel.wabaId);
  expect(templates.filter(({ name }: { name: string }) => name === template.name)).toHaveLength(1);
});

test('an answer that was lost, and then a refused token: the provider may have it, so its deletion asks there', async () => {
  const channel = await app.connect();
  await app.idle();
  await app.control('POST', '/behaviour', { template_review: null });
  await fault(channel, { kind: 'drop_after' });
  const look = { path: `${channel.wabaId}/message_templates`, method: 'GET' };
  await app.control('POST', '/faults', { kind: 'status', status: 401, code: 190, match: look });
  const { id } = await create(channel);
  const { failure, status } = await templateIs(app, id, { doing: null });
  expect(failure).toMatchObject({ code: 'provider_refused', provider_code: '190' });
  expect(status).toBe('draft');
  await app.call('channels.update', { params: { channelID: channel.id }, body: { access_token: channel.accessToken } });
  expect((await app.call('templates.delete', { params: { templateID: id } })).status).toBe(204);
  await waitFor('its row to go', async () => (await templateRows.count(app, id)) === 0);
  await app.control('POST', '/behaviour', { template_review: 'APPROVED' });
  expect((await asked(app, channel)).map(([method]) => method)).toEqual(['POST', 'DELETE']);
});

test('a request that was lost: submitted again, once', async () => {
  const channel = await app.connect();
  await fault(channel, { kind: 'drop_before' });
  const { id, name } = await create(channel);
  await templateIs(app, id, { status: 'approved', doing: null });
  const { accounts } = await app.control('GET', '/accounts');
  const { templates } = accounts.find((one: { waba_id: string }) => one.waba_id === channel.wabaId);
  expect(templates.filter((one: { name: string }) => one.name === name)).toHaveLength(1);
});

test('a worker that died after the provider did it: found by its name, told once', async () => {
  const channel = await app.connect();
  const { id, operationId } = await create(channel);
  const { provider_template_id } = await templateIs(app, id, { status: 'approved', doing: null });
  await app.idle();
  await templateRows.change(app, id, { status: 'draft', doing: 'submit', provider_template_id: null, submitted_at: rightNow() });
  await again(operationId);
  expect(await templateOf(app, id)).toMatchObject({ status: 'approved', provider_template_id, doing: null });
  expect(await posts(channel)).toBe(1);
});

test('another template of this name at the provider is not taken for ours', async () => {
  const channel = await app.connect({
    account: { templates: [{ id: '77001', name: 'taken', language: 'en_US', components: [{ type: 'BODY', text: 'Other' }] }] },
  });
  await waitFor('the sync', async () => (await templateRows.count(app, { channel_id: channel.id })) > 0);
  await templateRows.remove(app, { channel_id: channel.id });
  await fault(channel, { kind: 'drop_before' });
  const { id } = await create(channel, { name: 'taken', components: [body()] });
  const template = await templateIs(app, id, { doing: null, status: 'approved' });
  expect(template).toMatchObject({ provider_template_id: '77001', components: [{ type: 'BODY', text: 'Other' }] });
  expect(template.failure).toMatchObject({ code: 'conflict' });
});

test('a webhook before the answer: what it told stays', async () => {
  const channel = await app.connect();
  await app.control('POST', '/behaviour', { delay_ms: 0 });
  await fault(channel, { kind: 'drop_after' });
  const { id } = await create(channel);
  const template = await templateIs(app, id, { status: 'approved', doing: null });
  expect(template.provider_template_id).toMatch(/^\d+$/);
  await app.control('POST', '/behaviour', { delay_ms: 5 });
});

test('deleted before it was submitted: nothing is submitted', async () => {
  const channel = await app.connect();
  await fault(channel, { kind: 'status', status: 500, code: 131000 });
  const { id } = await create(channel);
  await afterFirstTry(id, async () => {
    expect((await app.call('templates.delete', { params: { templateID: id } })).status).toBe(204);
  });
  await waitFor('its row to go', async () => (await templateRows.count(app, id)) === 0);
  const { accounts } = await app.control('GET', '/accounts');
  const { templates } = accounts.find((one: { waba_id: string }) => one.waba_id === channel.wabaId);
  expect(templates.map(({ name }: { name: string }) => name)).toEqual(['hello', 'old']);
  expect(await posts(channel)).toBeLessThanOrEqual(2);
});

test('its channel was deleted meanwhile: its row goes, and the ledger is clean', async () => {
  const channel = await app.connect();
  await fault(channel, { kind: 'status', status: 500, code: 131000 });
  const { id } = await create(channel);
  await afterFirstTry(id, () => channelRows.change(app, channel.id, { deleted_at: rightNow(), access_token: '' }));
  await waitFor('its row to go', async () => (await templateRows.count(app, id)) === 0);
  await app.idle();
  const findings = await checkJobs(app.web.deps.database);
  expect(findings.filter(({ detail }) => detail.includes('templates.'))).toEqual([]);
});

test('a refused one goes on by a retry of its job; one that was changed since does not', async () => {
  const channel = await app.connect();
  await fault(channel, { kind: 'status', status: 400, code: 100 });
  const { id, operationId } = await create(channel);
  await templateIs(app, id, { status: 'rejected' });
  await retryJob(app.web.deps.ledger.transact, operationId, app.tenant.organizationId);
  await templateIs(app, id, { status: 'approved', doing: null, failure: null });
  expect(await posts(channel)).toBe(2);
  await fault(channel, { kind: 'status', status: 400, code: 100 });
  const other = await create(channel);
  await templateIs(app, other.id, { status: 'rejected' });
  await app.call('templates.update', { params: { templateID: other.id }, body: { components: [body('New, {{1}}!')] } });
  await templateIs(app, other.id, { status: 'approved', doing: null });
  await expect(retryJob(app.web.deps.ledger.transact, other.operationId, app.tenant.organizationId)).rejects.toThrow(
    'changed or deleted since',
  );
});
