import { describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import {
  asks,
  document,
  doneBy,
  draft,
  flowOf,
  holdCalls,
  letCallsGo,
  settled,
  there,
  unpaced,
} from '../../support/flow-moves.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const edited = (flowID: string) => app.call('flows.update', { params: { flowID }, body: { flow_json: document('Second') } });
const decided = ({ provider_flow_id }: Body, status: string, isTold: boolean) =>
  app.control('POST', `/flows/${provider_flow_id}/status`, { status, is_told: isTold });

async function operationOf(reply: Body): Promise<Body> {
  const operationID = reply.headers.get('operation-id')!;
  return (await app.call('operations.get', { params: { operationID } })).body;
}

describe.each([true, false])('the provider moves a flow between the request and its turn, told: %s', (isTold) => {
  test.each([
    { before: 'push', asked: 'push', status: 'PUBLISHED' },
    { before: 'publish', asked: 'publish', status: 'THROTTLED' },
    { before: 'publish', asked: 'publish', status: 'BLOCKED' },
    { before: 'publish', asked: 'publish', status: 'DEPRECATED' },
    { before: 'publish', asked: 'unpublish', status: 'BLOCKED' },
  ])('$asked, $status since: a conflict, and neither document nor status is touched', async ({ before, asked, status }) => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const flow = await doneBy(app, id, before);
    await edited(id);
    await holdCalls(app, channel);
    const [action, body] = asked === 'unpublish' ? ['push', { allow_unpublish: true }] : [asked, undefined];
    const reply = await asks(app, id, action, { body, isWaiting: false });
    expect(reply.status).toBe(200);
    await decided(flow, status, isTold);
    if (isTold) await waitFor('the webhook', async () => (await flowOf(app, id)).status === status.toLowerCase() || undefined);
    await letCallsGo(app, channel);
    expect(await settled(app, id)).toMatchObject({
      status: status.toLowerCase(),
      has_local_changes: true,
      drift: null,
      failure: { code: 'conflict', message: expect.stringContaining(`is ${status.toLowerCase()}`) },
    });
    expect((await operationOf(reply)).error.code).toBe('conflict');
    expect(await there(app, channel)).toMatchObject([{ status, flow_json: document('First') }]);
  });
});

test('somebody publishes a draft at the provider while its push compares the documents: it is not made a draft again', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const flow = await doneBy(app, id, 'push');
  await edited(id);
  // The last call before the upload.
  await app.control('POST', '/faults', { kind: 'delay', delay_ms: 1_500, match: { method: 'GET', path: flow.provider_flow_id } });
  await asks(app, id, 'push', { isWaiting: false });
  await waitFor('the delay', async () => (await app.control('GET', '/faults')).faults.length === 0);
  await decided(flow, 'PUBLISHED', true);
  expect(await settled(app, id)).toMatchObject({ status: 'published', has_local_changes: true, failure: { code: 'conflict' } });
  expect(await there(app, channel)).toMatchObject([{ status: 'PUBLISHED', flow_json: document('First') }]);
});
