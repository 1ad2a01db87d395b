import { expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
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
  unpaced,
} from '../../support/flow-moves.ts';
import { waitFor } from '../../support/wait-for.ts';
import { flowRows } from '../../support/work/flows.ts';
import { runAgain } from '../../support/work/operations.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true, workerEnv: { PROVIDER_TIMEOUT_MS: '2000' } });

type Step = { method: string; path: (channel: Channel, providerId: string) => string };
const steps: Record<string, Step> = {
  create: { method: 'POST', path: ({ wabaId }) => `${wabaId}/flows` },
  upload: { method: 'POST', path: (_channel, id) => `${id}/assets` },
  'read the document': { method: 'GET', path: (_channel, id) => `${id}/assets` },
  read: { method: 'GET', path: (_channel, id) => id },
  publish: { method: 'POST', path: (_channel, id) => `${id}/publish` },
  deprecate: { method: 'POST', path: (_channel, id) => `${id}/deprecate` },
  delete: { method: 'DELETE', path: (_channel, id) => id },
};

/** Before it, what is asked, its steps, and what stands here in the end; null: nothing. */
const works: { before: string[]; isChanged?: boolean; action: string; cut: string[]; status: string | null }[] = [
  { before: [], action: 'push', cut: ['create'], status: 'draft' },
  { before: ['push'], isChanged: true, action: 'push', cut: ['read the document', 'upload'], status: 'draft' },
  { before: ['push'], action: 'publish', cut: ['publish'], status: 'published' },
  { before: ['publish'], isChanged: true, action: 'publish', cut: ['upload', 'read', 'publish'], status: 'published' },
  { before: ['publish'], action: 'deprecate', cut: ['deprecate'], status: 'deprecated' },
  { before: ['push'], action: 'sync', cut: ['read', 'read the document'], status: 'draft' },
  { before: ['push'], action: 'preview', cut: ['read'], status: 'draft' },
  { before: ['push'], action: 'delete', cut: ['delete'], status: null },
];

const cells = works.flatMap((work) =>
  work.cut.flatMap((cut) => (['drop_before', 'drop_after'] as const).map((kind) => ({ ...work, cut, kind }))),
);

test.each(cells)('$action after $before, changed: $isChanged, cut at: $cut, $kind', async (cell) => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const before: Body = cell.before.length > 0 ? await doneBy(app, id, ...cell.before) : {};
  if (cell.isChanged) await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document('Second') } });
  await app.idle();
  const told = (await statusUpdates(app, id)).length;
  const { method, path } = steps[cell.cut]!;
  const match = { method, path: path(channel, before.provider_flow_id) };
  await app.control('POST', '/faults', { kind: cell.kind, match });

  const reply =
    cell.action === 'delete'
      ? await app.call('flows.delete', { params: { flowID: id }, headers: { prefer: 'wait=20' } })
      : await asks(app, id, cell.action);
  expect(reply.status).toBe(cell.status === null ? 204 : 200);
  expect((await app.control('GET', '/faults')).faults).toEqual([]);

  const provider = await there(app, channel);
  if (cell.status === null) {
    expect(provider).toEqual([]);
    expect(await flowRows.count(app, id)).toBe(0);
    return;
  }
  const flow = await flowOf(app, id);
  expect(flow).toMatchObject({ status: cell.status, has_local_changes: false, failure: null, drift: null, doing: null });
  expect(provider).toMatchObject([{ id: flow.provider_flow_id, status: cell.status.toUpperCase(), flow_json: flow.flow_json }]);
  const moves = (await statusUpdates(app, id)).slice(told);
  expect(new Set(moves).size).toBe(moves.length);

  // The same job once more.
  const operationId = reply.headers.get('operation-id')!;
  const calls = async () => (await app.control('GET', '/stats')).accounts[channel.wabaId].flow_calls.accepted;
  const asked = await calls();
  await runAgain(app, operationId);
  const { updated_at: _, ...shown } = await flowOf(app, id);
  const { updated_at: __, ...was } = flow;
  expect([shown, await calls()]).toEqual([was, asked]);
});

test('a worker that died after the flow was made: found by its name, though it was renamed here since', async () => {
  const channel = await unpaced(app);
  const { id, name } = await draft(app, channel);
  await app.control('POST', '/faults', { kind: 'drop_after', match: { method: 'POST', path: `${channel.wabaId}/flows` } });
  await asks(app, id, 'push', { isWaiting: false });
  await waitFor('the lost answer', async () => (await there(app, channel)).length === 1);
  await holdCalls(app, channel);
  await app.call('flows.update', { params: { flowID: id }, body: { name: `${name}, renamed` } });
  await letCallsGo(app, channel);
  expect(await settled(app, id)).toMatchObject({ failure: null, has_local_changes: false });
  expect(await there(app, channel)).toMatchObject([{ name: `${name}, renamed` }]);
});

test('a creation that never had an answer is looked for before another is made, and before it is deleted', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  await app.control('POST', '/flows', { waba_id: channel.wabaId, name: (await flowOf(app, id)).name });
  await flowRows.change(app, id, { asked_at: rightNow(), pushed_name: (await flowOf(app, id)).name });
  expect((await app.call('flows.delete', { params: { flowID: id }, headers: { prefer: 'wait=20' } })).status).toBe(204);
  expect(await there(app, channel)).toEqual([]);
});

test('the ledger is clean afterwards', async () => {
  await app.idle();
  expect((await checkJobs(app.web.deps.database)).filter(({ detail }) => detail.includes('flows.'))).toEqual([]);
});
