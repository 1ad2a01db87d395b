import { describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { asks, document, doneBy, draft, editThere, settled, there, titleOf, unpaced } from '../../support/flow-moves.ts';

const app = useApp({ workers: true });

type Side = 'nothing' | 'ours' | 'theirs' | 'both';
type Asked = 'sync' | 'sync and take' | 'push' | 'push with force';

/** What stands here and there afterwards, by its title: First is what both had, Ours and Theirs are the changes. */
type End = { status: number; here: string; there: string; isDrifting?: boolean };

const table: Record<Side, Record<Asked, End>> = {
  nothing: {
    sync: { status: 200, here: 'First', there: 'First' },
    'sync and take': { status: 200, here: 'First', there: 'First' },
    push: { status: 200, here: 'First', there: 'First' },
    'push with force': { status: 200, here: 'First', there: 'First' },
  },
  ours: {
    sync: { status: 200, here: 'Ours', there: 'First' },
    'sync and take': { status: 200, here: 'First', there: 'First' },
    push: { status: 200, here: 'Ours', there: 'Ours' },
    'push with force': { status: 200, here: 'Ours', there: 'Ours' },
  },
  theirs: {
    sync: { status: 200, here: 'Theirs', there: 'Theirs' },
    'sync and take': { status: 200, here: 'Theirs', there: 'Theirs' },
    push: { status: 409, here: 'First', there: 'Theirs', isDrifting: true },
    'push with force': { status: 200, here: 'First', there: 'First' },
  },
  both: {
    sync: { status: 409, here: 'Ours', there: 'Theirs', isDrifting: true },
    'sync and take': { status: 200, here: 'Theirs', there: 'Theirs' },
    push: { status: 409, here: 'Ours', there: 'Theirs', isDrifting: true },
    'push with force': { status: 200, here: 'Ours', there: 'Ours' },
  },
};

const requests: Record<Asked, [string, object]> = {
  sync: ['sync', {}],
  'sync and take': ['sync', { take: true }],
  push: ['push', {}],
  'push with force': ['push', { body: { force: true } }],
};

const cells = (Object.keys(table) as Side[]).flatMap((side) =>
  (Object.keys(requests) as Asked[]).flatMap((asked) =>
    [true, false].map((isWaiting) => ({ side, asked, isWaiting, end: table[side][asked] })),
  ),
);

describe('what has changed since the last exchange, and what becomes of it', () => {
  test.each(cells)('$side changed, $asked, waiting: $isWaiting', async ({ side, asked, isWaiting, end }) => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const flow = await doneBy(app, id, 'push');
    expect(flow).toMatchObject({ has_local_changes: false, drift: null, status: 'draft' });
    if (side === 'ours' || side === 'both')
      await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Ours') } });
    if (side === 'theirs' || side === 'both') await editThere(app, flow, 'Theirs');

    const [action, more] = requests[asked];
    const reply = await asks(app, id, action, { ...more, isWaiting });
    expect(reply.headers.get('operation-id')).toMatch(/-/);
    expect(reply.status).toBe(isWaiting ? end.status : 200);
    if (isWaiting && end.status === 409) expect(reply.body.error.code).toBe('conflict');

    const after = await settled(app, id);
    const [provider] = await there(app, channel);
    expect([titleOf(after.flow_json), titleOf(provider!.flow_json)]).toEqual([end.here, end.there]);
    expect(after.has_local_changes).toBe(end.isDrifting ? side === 'both' : end.here !== end.there);
    expect(after.status).toBe('draft');
    if (end.isDrifting) {
      expect(after.drift).toEqual({ detected_at: expect.any(String), provider_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      expect(after.failure).toMatchObject({ code: 'conflict' });
    } else {
      expect(after.drift).toBeNull();
      expect(after.failure).toBeNull();
    }
    const { body: operation }: Body = await app.call('operations.get', {
      params: { operationID: reply.headers.get('operation-id')! },
    });
    expect([operation.status, operation.error?.code ?? null]).toEqual(
      end.status === 409 ? ['failed', 'conflict'] : ['succeeded', null],
    );
  });
});

test('where both sides changed, a sync takes the status, and the words say that a publish can decide too', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'publish');
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Ours') } });
  await app.control('POST', `/flows/${provider_flow_id}/edit`, { flow_json: document('Theirs'), keeps_status: true });
  await app.control('POST', `/flows/${provider_flow_id}/status`, { status: 'DRAFT', is_told: false });
  const reply = await asks(app, id, 'sync');
  expect([reply.status, reply.body.error.message]).toEqual([409, expect.stringContaining('publish with `force`')]);
  const drifted = { status: 'draft', has_local_changes: true, drift: { provider_sha256: expect.any(String) } };
  expect(await settled(app, id)).toMatchObject(drifted);
  const published = await asks(app, id, 'publish', { body: { force: true } });
  expect(published.body).toMatchObject({ status: 'published', drift: null });
  expect(await there(app, channel)).toMatchObject([{ status: 'PUBLISHED', flow_json: document('Ours') }]);
});

test('drift stays until somebody decides', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const flow = await doneBy(app, id, 'push');
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Ours') } });
  await editThere(app, flow, 'Theirs');
  await asks(app, id, 'sync');
  const { drift } = await settled(app, id);
  expect((await asks(app, id, 'push')).status).toBe(409);
  expect((await settled(app, id)).drift).toEqual(drift);
  expect((await asks(app, id, 'sync', { take: true })).body).toMatchObject({ drift: null, failure: null });
});

test('a publish does not publish what nobody here has seen', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  await editThere(app, await doneBy(app, id, 'push'), 'Theirs');
  const reply = await asks(app, id, 'publish');
  expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
  expect(await settled(app, id)).toMatchObject({ status: 'draft', drift: { provider_sha256: expect.any(String) } });
  expect(await doneBy(app, id, 'sync', 'publish')).toMatchObject({ status: 'published', drift: null });
  expect(await there(app, channel)).toMatchObject([{ status: 'PUBLISHED', flow_json: document('Theirs') }]);
});

test('the same change on both sides is none', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const flow = await doneBy(app, id, 'push');
  await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Same') } });
  await editThere(app, flow, 'Same');
  expect(await doneBy(app, id, 'sync')).toMatchObject({ drift: null, has_local_changes: false, provider_version: 2 });
});

test('a sync takes name, categories and status; a name that was changed on both sides stays for somebody to decide', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  await app.control('POST', `/flows/${provider_flow_id}/edit`, { name: 'Renamed', categories: ['SHOPPING', 'SURVEY'] });
  expect(await doneBy(app, id, 'sync')).toMatchObject({
    name: 'Renamed',
    category: 'shopping',
    categories: ['shopping', 'survey'],
    has_local_changes: false,
  });
  await app.call('flows.update', { params: { flowID: id }, body: { name: 'Ours' } });
  await app.control('POST', `/flows/${provider_flow_id}/edit`, { name: 'Theirs' });
  const undecided = { name: 'Ours', has_local_changes: true };
  expect(await doneBy(app, id, 'sync')).toMatchObject({ ...undecided, drift: null });
  expect((await asks(app, id, 'push')).status).toBe(409);
  const { drift } = await settled(app, id);
  expect(drift).toEqual({ detected_at: expect.any(String), provider_sha256: expect.any(String) });
  expect(await doneBy(app, id, 'sync')).toMatchObject({ ...undecided, drift });
  expect((await asks(app, id, 'push')).status).toBe(409);
  expect((await there(app, channel))[0]!.name).toBe('Theirs');
  expect((await asks(app, id, 'push', { body: { force: true } })).body).toMatchObject({ name: 'Ours', drift: null });
  expect((await there(app, channel))[0]!.name).toBe('Ours');
});

test('categories that both sides changed: a sync that takes decides, one that does not leaves them', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  await app.call('flows.update', { params: { flowID: id }, body: { category: 'shopping' } });
  await app.control('POST', `/flows/${provider_flow_id}/edit`, { categories: ['SIGN_UP'] });
  expect((await asks(app, id, 'push')).status).toBe(409);
  const { drift } = await settled(app, id);
  expect(drift).not.toBeNull();
  expect(await doneBy(app, id, 'sync')).toMatchObject({ category: 'shopping', drift });
  const taken = await asks(app, id, 'sync', { take: true });
  expect(taken.body).toMatchObject({ category: 'sign_up', has_local_changes: false, drift: null });
});
