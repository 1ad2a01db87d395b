import { describe, expect, test } from '@jest/globals';
import { hashInSlices } from '../../../src/flows/document/hash.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import {
  asks,
  document,
  doneBy,
  draft,
  editThere,
  flowOf,
  holdCalls,
  letCallsGo,
  settled,
  there,
  titleOf,
  unpaced,
} from '../../support/flow-moves.ts';
import { waitFor } from '../../support/wait-for.ts';
import { flowRows } from '../../support/work/flows.ts';
import { rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true, workerEnv: { PROVIDER_TIMEOUT_MS: '2000' } });

const update = (flowID: string, body: object) => app.call('flows.update', { params: { flowID }, body });
const cut = (kind: 'drop_before' | 'drop_after', path: string) =>
  app.control('POST', '/faults', { kind, match: { method: 'POST', path } });
/** Between the cut and the next try, however slow the machine is. */
async function afterCut(channel: Channel, act: () => Promise<unknown>) {
  await waitFor('the cut', async () => (await app.control('GET', '/faults')).faults.length === 0);
  await holdCalls(app, channel);
  await act();
  await letCallsGo(app, channel);
}
const titles = async (channel: Channel) => (await there(app, channel)).map(({ flow_json }) => flow_json && titleOf(flow_json));
const conflict = { failure: { code: 'conflict' } };

describe('an edit at the provider between an upload that failed and its repeat', () => {
  const changed = async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const flow = await doneBy(app, id, 'push');
    return { channel, flow, id };
  };

  test.each(['drop_before', 'drop_after'] as const)('is a conflict: %s', async (kind) => {
    const { channel, flow, id } = await changed();
    await update(id, { flow_json: document('Ours') });
    await cut(kind, `${flow.provider_flow_id}/assets`);
    await asks(app, id, 'push', { isWaiting: false });
    await afterCut(channel, () => editThere(app, flow, 'Theirs'));
    expect(await settled(app, id)).toMatchObject({ ...conflict, drift: { provider_sha256: expect.any(String) } });
    expect(await titles(channel)).toEqual(['Theirs']);
    await asks(app, id, 'push', { body: { force: true } });
    expect(await titles(channel)).toEqual(['Ours']);
  });

  test('is kept where only the name was to be sent', async () => {
    const { channel, flow, id } = await changed();
    await update(id, { name: `${flow.name}, renamed` });
    await cut('drop_before', flow.provider_flow_id);
    await asks(app, id, 'push', { isWaiting: false });
    await afterCut(channel, () => editThere(app, flow, 'Theirs'));
    expect(await settled(app, id)).toMatchObject(conflict);
    expect(await titles(channel)).toEqual(['Theirs']);
  });

  test('is none where it is ours that arrived, also after an edit here', async () => {
    const { channel, flow, id } = await changed();
    await update(id, { flow_json: document('Ours') });
    await cut('drop_after', `${flow.provider_flow_id}/assets`);
    await asks(app, id, 'push', { isWaiting: false });
    await afterCut(channel, () => update(id, { flow_json: document('Ours again') }));
    expect(await settled(app, id)).toMatchObject({ failure: null, drift: null, has_local_changes: false });
    expect(await titles(channel)).toEqual(['Ours again']);
  });

  test('an upload whose answer was lost has its faults', async () => {
    const { flow, id } = await changed();
    // A document that our validator has not seen.
    const faulty = { ...document('Ours'), screens: [] };
    const sha256 = await hashInSlices(faulty);
    await flowRows.change(app, id, { flow_json: JSON.stringify(faulty), local_sha256: sha256 });
    await cut('drop_after', `${flow.provider_flow_id}/assets`);
    await asks(app, id, 'push');
    const faults = (await flowOf(app, id)).validation_errors.filter(({ source }: Body) => source === 'provider');
    expect(faults.length).toBeGreaterThan(0);
  });
});

describe('a name or categories that were changed on both sides', () => {
  const renamed = async (ours: object, theirs: object) => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const { provider_flow_id } = await doneBy(app, id, 'push');
    await update(id, ours);
    await app.control('POST', `/flows/${provider_flow_id}/edit`, theirs);
    return { channel, id };
  };

  test.each([
    [{ name: 'Ours' }, { name: 'Theirs' }],
    [{ category: 'shopping' }, { categories: ['SIGN_UP'] }],
  ])('a push of %j over %j is a conflict, which force decides', async (ours, theirs) => {
    const { channel, id } = await renamed(ours, theirs);
    const reply = await asks(app, id, 'push');
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(reply.body.error.message).toContain('name or categories');
    expect(await there(app, channel)).toMatchObject([theirs]);
    expect(await settled(app, id)).toMatchObject({ ...ours, drift: { provider_sha256: expect.any(String) } });
    expect((await asks(app, id, 'push', { body: { force: true } })).body).toMatchObject({
      has_local_changes: false,
      drift: null,
    });
    const [flow] = await there(app, channel);
    expect([flow!.name, flow!.categories[0].toLowerCase()]).toContain(Object.values(ours)[0]);
  });

  test('a publish is one too, and a sync that takes theirs decides', async () => {
    const { channel, id } = await renamed({ name: 'Ours too' }, { name: 'Theirs too' });
    expect((await asks(app, id, 'publish')).status).toBe(409);
    expect((await there(app, channel))[0]!.status).toBe('DRAFT');
    expect((await asks(app, id, 'sync', { take: true })).body).toMatchObject({ name: 'Theirs too', drift: null });
    await doneBy(app, id, 'publish');
    expect((await there(app, channel))[0]).toMatchObject({ name: 'Theirs too', status: 'PUBLISHED' });
  });

  test('the same on both sides is none, and what is not sent replaces nothing', async () => {
    const { channel, id } = await renamed({ name: 'Same' }, { name: 'Same', categories: ['SIGN_UP'] });
    expect(await doneBy(app, id, 'push')).toMatchObject({ drift: null, failure: null });
    expect(await there(app, channel)).toMatchObject([{ name: 'Same', categories: ['SIGN_UP'] }]);
  });
});

describe('a draft of the name that was there before a creation without an answer', () => {
  const taken = async (flow_json: Body | undefined) => {
    const channel = await unpaced(app);
    const { id, name } = await draft(app, channel);
    await app.control('POST', '/flows', { waba_id: channel.wabaId, name, ...(flow_json && { flow_json }) });
    await cut('drop_before', `${channel.wabaId}/flows`);
    return { channel, id, name };
  };

  test('is not replaced, and a flow of another name can be pushed', async () => {
    const { channel, id, name } = await taken(document('Theirs'));
    const reply = await asks(app, id, 'push');
    expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
    expect(reply.body.error.message).toContain('a draft of this name');
    expect(await titles(channel)).toEqual(['Theirs']);
    expect(await flowOf(app, id)).toMatchObject({ drift: null, status: 'draft' });
    await update(id, { name: `${name}, ours` });
    await doneBy(app, id, 'push');
    expect(await titles(channel)).toEqual(['Theirs', 'First']);
  });

  test('is not replaced by force, nor by a publish', async () => {
    const { channel, id } = await taken(document('Theirs'));
    expect((await asks(app, id, 'publish', { body: { force: true } })).status).toBe(409);
    expect(await there(app, channel)).toMatchObject([{ status: 'DRAFT', flow_json: document('Theirs') }]);
  });

  test('is not deleted', async () => {
    const channel = await unpaced(app);
    const { id, name } = await draft(app, channel);
    await app.control('POST', '/flows', { waba_id: channel.wabaId, name, flow_json: document('Theirs') });
    await flowRows.change(app, id, { asked_at: rightNow(), pushed_name: name });
    expect((await app.call('flows.delete', { params: { flowID: id }, headers: { prefer: 'wait=20' } })).status).toBe(204);
    expect(await flowRows.count(app, id)).toBe(0);
    expect(await titles(channel)).toEqual(['Theirs']);
  });

  const layout = { type: 'SingleColumnLayout', children: [{ type: 'TextHeading', text: 'Hello World' }, { type: 'Footer' }] };
  const greeting = { version: '7.2', screens: [{ id: 'WELCOME_SCREEN', title: 'Welcome', terminal: true, layout }] };
  test.each([
    ['no document', undefined],
    ['what a new flow has', greeting],
    ["this flow's document", document('First')],
  ])('is ours with %s', async (_what, flow_json) => {
    const { channel, id } = await taken(flow_json);
    await doneBy(app, id, 'push');
    expect(await titles(channel)).toEqual(['First']);
  });
});

test('a document that cannot be kept here is replaced by force alone', async () => {
  const channel = await unpaced(app);
  const { id } = await draft(app, channel);
  const { provider_flow_id } = await doneBy(app, id, 'push');
  const edit = { flow_json: '{"version":"7.2","screens":[],"note":"\\u0000"}' };
  await app.control('POST', `/flows/${provider_flow_id}/edit`, edit);
  for (const action of ['push', 'publish', 'sync']) {
    const reply = await asks(app, id, action);
    expect([reply.status, reply.body.error.message]).toEqual([422, expect.stringContaining('cannot be kept')]);
  }
  expect((await asks(app, id, 'push', { body: { force: true } })).body).toMatchObject({ drift: null, has_local_changes: false });
  expect(await titles(channel)).toEqual(['First']);
});
