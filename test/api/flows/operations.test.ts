import { afterEach, describe, expect, test } from '@jest/globals';
import { flowStatuses } from '../../../src/flows/flow.entity.ts';
import { type Body, useApp } from '../../support/app.ts';
import { missingIn } from '../../support/flow-bodies.ts';
import {
  asks,
  document,
  doneBy,
  draft,
  flowOf,
  holdCalls,
  letCallsGo,
  settled,
  statusUpdates,
  there,
  titleOf,
  unpaced,
} from '../../support/flow-moves.ts';
import { storedFlows } from '../../support/stored/flows.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
afterEach(async () => {
  await app.control('POST', '/behaviour', { flow_edit: 'revert' });
});

const patch = (flowID: string, body: object) => app.call('flows.update', { params: { flowID }, body });

describe('publish', () => {
  test('pushes first, once, and tells it', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const flow = await doneBy(app, id, 'publish');
    expect(flow).toMatchObject({
      status: 'published',
      has_local_changes: false,
      provider_version: 1,
      validation_errors: [],
      published_at: expect.any(String),
    });
    expect(await there(app, channel)).toMatchObject([{ id: flow.provider_flow_id, status: 'PUBLISHED', categories: ['SURVEY'] }]);
    expect(await statusUpdates(app, id)).toEqual(['draft published']);
    const again = await asks(app, id, 'publish');
    expect([again.status, again.headers.get('operation-id')]).toEqual([200, null]);
  });

  test('a changed published flow is pushed and published in one operation', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'publish');
    await patch(id, { flow_json: document('Second') });
    expect(await doneBy(app, id, 'publish')).toMatchObject({ status: 'published', has_local_changes: false });
    const [flow] = await there(app, channel);
    expect([flow!.status, titleOf(flow!.flow_json)]).toEqual(['PUBLISHED', 'Second']);
    await app.idle();
    expect((await flowOf(app, id)).status).toBe('published');
  });

  test('where the provider refuses the edit, it is published as it was, and says why', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'publish');
    await app.control('POST', '/behaviour', { flow_edit: 'refuse' });
    await patch(id, { flow_json: document('Second') });
    const reply = await asks(app, id, 'publish');
    expect([reply.status, reply.body.error.code]).toEqual([422, 'provider_refused']);
    expect(await settled(app, id)).toMatchObject({
      status: 'published',
      has_local_changes: true,
      failure: { code: 'provider_refused', provider_code: '139001' },
    });
    expect(titleOf((await there(app, channel))[0]!.flow_json)).toBe('First');
  });

  test('what the provider finds in the document is a 422, line by line, and it stays a draft', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await storedFlows.change(app, id, { flow_json: { ...document('First'), screens: [] }, local_sha256: 'other', faults: [] });
    const reply = await asks(app, id, 'publish');
    expect([reply.status, reply.body.error.code]).toEqual([422, 'flow_invalid']);
    const flow = await settled(app, id);
    expect(flow).toMatchObject({ status: 'draft', failure: { code: 'flow_invalid' } });
    expect(flow.validation_errors.filter(({ source }: Body) => source === 'provider').length).toBeGreaterThan(0);
    expect((await asks(app, id, 'publish')).status).toBe(422);
  });
});

describe('push', () => {
  test('of a published flow: only with allow_unpublish, which makes it a draft', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'publish');
    await patch(id, { flow_json: document('Second') });
    const refused = await asks(app, id, 'push');
    expect([refused.status, refused.body.error.details[0].value]).toEqual([409, 'published']);
    const reply = await asks(app, id, 'push', { body: { allow_unpublish: true } });
    expect(reply.body).toMatchObject({ status: 'draft', has_local_changes: false });
    expect(await statusUpdates(app, id)).toEqual(['draft published', 'published draft']);
  });

  test('what is changed meanwhile stays a local change', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await holdCalls(app, channel);
    await asks(app, id, 'push', { isWaiting: false });
    await app.control('POST', '/faults', { kind: 'delay', delay_ms: 1_500, match: { path: `${channel.wabaId}/flows` } });
    await letCallsGo(app, channel);
    await waitFor('the call', async () => (await storedFlows.one(app, id)).asked_at !== null);
    await patch(id, { flow_json: document('Meanwhile') });
    expect(await settled(app, id)).toMatchObject({ has_local_changes: true, provider_version: 1, version: 2 });
    expect(titleOf((await there(app, channel))[0]!.flow_json)).toBe('First');
  });
});

describe('deprecate', () => {
  test('once; asked again it is answered at once', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'publish', 'deprecate');
    const again = await asks(app, id, 'deprecate');
    expect([again.status, again.body.status, again.headers.get('operation-id')]).toEqual([200, 'deprecated', null]);
    expect(await statusUpdates(app, id)).toEqual(['draft published', 'published deprecated']);
    for (const action of ['push', 'publish']) expect((await asks(app, id, action)).status).toBe(409);
    expect((await doneBy(app, id, 'sync')).status).toBe('deprecated');
  });

  test('a draft is a 409', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    expect((await asks(app, id, 'deprecate')).status).toBe(409);
  });
});

describe('delete', () => {
  const remove = (flowID: string) => app.call('flows.delete', { params: { flowID }, headers: { prefer: 'wait=20' } });

  test('at the provider too', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    expect((await remove(id)).status).toBe(204);
    expect(await there(app, channel)).toEqual([]);
    expect(await storedFlows.count(app, id)).toBe(0);
  });

  test('refused there, it is shown again with its status and the reason', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const { provider_flow_id } = await doneBy(app, id, 'push');
    await app.control('POST', `/flows/${provider_flow_id}/status`, { status: 'PUBLISHED', is_told: false });
    expect((await remove(id)).status).toBe(422);
    expect(await flowOf(app, id)).toMatchObject({ status: 'published', doing: null, failure: { provider_code: '139004' } });
    expect((await app.events(app.tenant.organizationId)).some(({ type }) => type === 'operation.failed')).toBe(true);
  });
});

describe('preview', () => {
  test('is kept while it is good; invalidate asks for another', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    const { preview_url } = await doneBy(app, id, 'preview');
    expect(preview_url).toMatch(/^http/);
    const again = await asks(app, id, 'preview');
    expect([again.body.preview_url, again.headers.get('operation-id')]).toEqual([preview_url, null]);
    const { body } = await asks(app, id, 'preview', { body: { invalidate: true } });
    expect(body.preview_url).not.toBe(preview_url);
  });
});

test.each(flowStatuses)('the replies of sync and deprecate to a flow that is %s have every required field', async (status) => {
  const { id } = await draft(app, await unpaced(app));
  const { provider_flow_id } = await doneBy(app, id, 'push');
  await app.control('POST', `/flows/${provider_flow_id}/status`, { status: status.toUpperCase(), is_told: false });
  const synced = [await asks(app, id, 'sync', { isWaiting: false }), await asks(app, id, 'sync')];
  expect(synced.map((reply) => [reply.status, missingIn(reply.body)])).toEqual(synced.map(() => [200, []]));
  expect(synced[1]!.body.status).toBe(status);
  await settled(app, id);
  const deprecated = [await asks(app, id, 'deprecate', { isWaiting: false }), await asks(app, id, 'deprecate')];
  if (status === 'draft') expect(deprecated.map((reply) => reply.status)).toEqual([409, 409]);
  else {
    expect(deprecated.map((reply) => [reply.status, missingIn(reply.body)])).toEqual(deprecated.map(() => [200, []]));
    expect(deprecated[1]!.body.status).toBe('deprecated');
  }
});

test('a key that reads flows reads their operations', async () => {
  const { id } = await draft(app, await unpaced(app));
  const operationID = (await asks(app, id, 'push')).headers.get('operation-id')!;
  const { key } = await app.key(app.tenant.organizationId, ['flows:read']);
  const reply = await app.call('operations.get', { key, params: { operationID } });
  expect([reply.status, reply.body.name, reply.body.status]).toEqual([200, 'flows.push', 'succeeded']);
});

test('one call a second and account, as the provider counts', async () => {
  const channel = await app.connect();
  const flows = [await draft(app, channel), await draft(app, channel)];
  for (const { id } of flows) await asks(app, id, 'push', { isWaiting: false });
  for (const { id } of flows) expect((await settled(app, id)).failure).toBeNull();
  const { accounts } = await app.control('GET', '/stats');
  expect(accounts[channel.wabaId].flow_calls).toEqual({ accepted: 6, max_in_one_second: 1 });
}, 60_000);
