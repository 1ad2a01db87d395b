import { describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

// An answer that is late is not a lost one.
const app = useApp({ workers: true, env: { PROVIDER_TIMEOUT_MS: '10000' } });

const sync = (channel: Channel, prefer?: string) =>
  app.call('templates.sync', { params: { channelID: channel.id }, headers: prefer ? { prefer } : {} });
const failOnce = (channel: Channel, fault: object, times = 1) =>
  app.control('POST', '/faults', { kind: 'status', match: { path: `${channel.wabaId}/message_templates` }, times, ...fault });
const settled = (channel: Channel) =>
  waitFor('the first sync', async () => (await storedTemplates.count(app, { channel_id: channel.id })) > 0);

describe('templates/sync', () => {
  test('answers at once with what is stored, and names the operation', async () => {
    const channel = await app.connect();
    await settled(channel);
    const { status, headers, body } = await sync(channel);
    expect([status, body]).toEqual([200, { channel_id: channel.id, templates: 2 }]);
    expect(headers.get('preference-applied')).toBeNull();
    const id = headers.get('operation-id')!;
    expect(headers.get('link')).toBe(`</v1/operations/${id}>; rel="monitor"`);
    const operation = await waitFor('the operation', async () => {
      const reply = await app.call('operations.get', { params: { operationID: id } });
      return reply.body.status === 'succeeded' && reply.body;
    });
    expect(operation).toMatchObject({ name: 'templates.sync', error: null, subject: { type: 'channel', id: channel.id } });
    expect(Date.parse(operation.finished_at)).toBeGreaterThanOrEqual(Date.parse(operation.created_at));
  });

  test('with Prefer: wait it answers with the outcome', async () => {
    const channel = await app.connect();
    await settled(channel);
    await app.account({
      phone_number_id: channel.phoneNumberId,
      waba_id: channel.wabaId,
      access_token: channel.accessToken,
      templates: [1, 2, 3].map((index) => ({ id: `77${index}`, name: `new_${index}`, language: 'en_US', status: 'APPROVED' })),
    });
    const { status, headers, body } = await sync(channel, 'respond-async, wait=10');
    expect([status, headers.get('preference-applied')]).toEqual([200, 'wait=10']);
    expect(body.templates).toBe(5);
    expect(headers.get('operation-id')).toBeTruthy();
    const disabled = await storedTemplates.all(
      app,
      { channel_id: channel.id, status: 'disabled' },
      { columns: ['name'], orderBy: 'name' },
    );
    expect(disabled.map(({ name }) => name)).toEqual(['hello', 'old']);
  });

  test("a refusal within the wait is a 422 with the provider's reason", async () => {
    const channel = await app.connect();
    await settled(channel);
    await failOnce(channel, { status: 403, code: 10 });
    const { status, headers, body } = await sync(channel, 'wait=10');
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', '10']);
    expect(body.error.message).toContain('permission');
    expect(headers.get('preference-applied')).toBe('wait=10');
    const operation = await app.call('operations.get', { params: { operationID: headers.get('operation-id')! } });
    expect(operation.body).toMatchObject({ status: 'failed', error: { code: 'provider_refused', provider_code: '10' } });
    const [event] = (await app.events(app.tenant.organizationId)).filter(({ type }) => type === 'operation.failed');
    expect(event.data).toMatchObject({ operation_id: operation.body.id, name: 'templates.sync', code: 'provider_refused' });
  });

  test('when time is up it answers with what there is; the operation goes on', async () => {
    const channel = await app.connect();
    await settled(channel);
    await failOnce(channel, { kind: 'delay', delay_ms: 4_000 });
    const { status, headers, body } = await sync(channel, 'wait=1');
    expect([status, body.templates, headers.get('preference-applied')]).toEqual([200, 2, 'wait=1']);
    const params = { operationID: headers.get('operation-id')! };
    expect((await app.call('operations.get', { params })).body.status).toBe('running');
    await waitFor('the end', async () => (await app.call('operations.get', { params })).body.status === 'succeeded');
  });

  test('a fault that may pass is tried again', async () => {
    const channel = await app.connect();
    await settled(channel);
    await failOnce(channel, { status: 500, code: 131000 });
    const { status, headers } = await sync(channel, 'wait=10');
    expect([status, headers.get('preference-applied')]).toEqual([200, 'wait=10']);
  });

  test.each(['wait=0', 'wait=abc', 'waiting', 'return=minimal'])('Prefer: %s is no wish to wait', async (prefer) => {
    const channel = await app.connect();
    expect((await sync(channel, prefer)).headers.get('preference-applied')).toBeNull();
  });

  test('a wish of more than 30 seconds is 30', async () => {
    const channel = await app.connect();
    expect((await sync(channel, 'wait=100000')).headers.get('preference-applied')).toBe('wait=30');
  });
});

test('connect with Prefer: wait answers when the templates are there', async () => {
  const account = await app.account();
  const { status, headers, body } = await app.call('channels.connect', {
    body: { phone_number_id: account.phoneNumberId, waba_id: account.wabaId, access_token: account.accessToken },
    headers: { prefer: 'wait=10' },
  });
  expect([status, headers.get('preference-applied')]).toEqual([201, 'wait=10']);
  expect(await storedTemplates.count(app, { channel_id: body.id })).toBe(2);
});
