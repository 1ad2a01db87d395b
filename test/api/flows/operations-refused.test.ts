import { describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import {
  asks,
  doneBy,
  draft,
  flowOf,
  holdCalls,
  letCallsGo,
  poolOfCalls,
  settled,
  there,
  unpaced,
} from '../../support/flow-moves.ts';
import { heldUntil, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedFlows } from '../../support/stored/flows.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const provider = ({ phoneNumberId, wabaId, accessToken }: Channel) => ({ phoneNumberId, accountId: wabaId, accessToken });

describe('refused at once', () => {
  test('a flow that the provider does not have', async () => {
    const { id } = await draft(app, await unpaced(app));
    for (const action of ['sync', 'preview', 'deprecate']) {
      const reply = await asks(app, id, action);
      expect([action, reply.status, reply.body.error.code]).toEqual([action, 409, 'conflict']);
    }
  });

  test('a flow without a channel', async () => {
    const { id } = await draft(app, undefined);
    for (const action of ['push', 'publish']) {
      const reply = await asks(app, id, action);
      expect([reply.status, reply.body.error.details[0].field]).toEqual([422, 'channel_id']);
    }
  });

  test('a channel that is not connected', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    await app.call('channels.disconnect', { params: { channelID: channel.id } });
    for (const action of ['push', 'publish', 'sync', 'preview']) expect((await asks(app, id, action)).status).toBe(409);
    expect((await app.call('flows.delete', { params: { flowID: id } })).status).toBe(409);
    expect((await app.call('flows.import', { body: { channel_id: channel.id } })).status).toBe(409);
    expect(await flowOf(app, id)).toMatchObject({ doing: null, failure: null });
  });

  test('a channel that was deleted; a draft of it is deleted here alone', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    await app.call('channels.delete', { params: { channelID: channel.id } });
    for (const action of ['push', 'publish', 'sync', 'preview']) expect((await asks(app, id, action)).status).toBe(409);
    const reply = await app.call('flows.delete', { params: { flowID: id } });
    expect([reply.status, reply.headers.get('operation-id')]).toEqual([204, null]);
    expect(await storedFlows.count(app, id)).toBe(0);
    expect(await there(app, channel)).toHaveLength(1);
  });

  test.each(['published', 'throttled', 'blocked', 'deprecated'])(
    '%s, and no channel of its account is left: it can be deleted here',
    async (status) => {
      const channel = await unpaced(app);
      const { id } = await draft(app, channel);
      await doneBy(app, id, 'publish');
      await app.idle();
      await storedFlows.change(app, id, { status });
      const other = await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
      await app.call('channels.delete', { params: { channelID: channel.id } });
      expect((await app.call('flows.delete', { params: { flowID: id } })).status).toBe(409);
      await app.call('channels.delete', { params: { channelID: other.id } });
      const reply = await app.call('flows.delete', { params: { flowID: id } });
      expect([reply.status, reply.headers.get('operation-id')]).toEqual([204, null]);
      expect(await storedFlows.count(app, id)).toBe(0);
      expect(await there(app, channel)).toMatchObject([{ status: 'PUBLISHED' }]);
    },
  );

  test('a document with faults', async () => {
    const { id } = await draft(app, await unpaced(app), { flow_json: { version: '7.2', screens: [] } });
    for (const action of ['push', 'publish']) {
      const reply = await asks(app, id, action);
      expect([reply.status, reply.body.error.code]).toEqual([422, 'flow_invalid']);
      expect(reply.body.error.details.length).toBeGreaterThan(0);
    }
  });

  test('another operation under way; a second sync joins the first', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await doneBy(app, id, 'push');
    await holdCalls(app, channel);
    const first = (await asks(app, id, 'sync', { isWaiting: false })).headers.get('operation-id');
    expect((await asks(app, id, 'sync', { isWaiting: false })).headers.get('operation-id')).toBe(first);
    for (const more of [
      ['push', {}],
      ['publish', {}],
      ['sync', { take: true }],
    ] as const) {
      const reply = await asks(app, id, more[0], { ...more[1], isWaiting: false });
      expect([reply.status, reply.body.error.details[0].value]).toEqual([409, first]);
    }
    await letCallsGo(app, channel);
    expect(await settled(app, id)).toMatchObject({ failure: null });
  });

  test('a body, an unknown parameter, a malformed id', async () => {
    const { id } = await draft(app, await unpaced(app));
    const params = { flowID: id };
    expect((await app.call('flows.sync', { params, query: { take: 'ours' } })).status).toBe(422);
    expect((await app.call('flows.sync', { params, query: { other: '1' } })).status).toBe(422);
    expect((await app.call('flows.push', { params, body: { force: 'yes' } })).status).toBe(422);
    expect((await app.call('flows.sync', { params, body: { a: 1 } })).status).toBe(422);
    expect((await app.call('flows.deprecate', { params: { flowID: 'nonsense' } })).status).toBe(404);
  });
});

describe('what the provider says', () => {
  test('gone: 422, a draft of ours, which a push makes anew', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const { provider_flow_id } = await doneBy(app, id, 'push');
    await app.web.deps.providers.messagingApp.deleteFlow(provider(channel), provider_flow_id);
    const reply = await asks(app, id, 'sync');
    expect(reply.status).toBe(422);
    const flow = await flowOf(app, id);
    expect(flow).toMatchObject({ status: 'draft', provider_version: null, has_local_changes: true });
    expect(flow.provider_flow_id).toBeUndefined();
    await doneBy(app, id, 'push');
    expect(await there(app, channel)).toHaveLength(1);
  });

  test('the same words about a flow that the account still lists forget nothing', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const { provider_flow_id } = await doneBy(app, id, 'push');
    await app.control('POST', '/faults', { kind: 'status', status: 404, match: { method: 'GET', path: `/${provider_flow_id}` } });
    expect((await asks(app, id, 'sync')).status).toBe(422);
    expect(await flowOf(app, id)).toMatchObject({ provider_flow_id, status: 'draft' });
  });

  test('a refused token stops the channel, and the work goes on once it is repaired', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    const { provider_flow_id } = await doneBy(app, id, 'push');
    const match = { path: `/${provider_flow_id}` };
    await app.control('POST', '/faults', { kind: 'status', status: 401, code: 190, match });
    await asks(app, id, 'sync', { isWaiting: false });
    const status = async () => (await app.call('channels.get', { params: { channelID: channel.id } })).body.status;
    await waitFor('the stop', async () => (await status()) === 'auth_error');
    expect(await heldUntil(app, poolOfCalls(channel))).toBe('infinity');
    expect((await flowOf(app, id)).doing).toBe('sync');
    await app.call('channels.rotate-token', { params: { channelID: channel.id }, body: { access_token: channel.accessToken } });
    expect(await settled(app, id)).toMatchObject({ failure: null, provider_flow_id });
  });

  test('its channel was deleted meanwhile: the work fails and says so', async () => {
    const channel = await unpaced(app);
    const { id } = await draft(app, channel);
    await holdCalls(app, channel);
    await asks(app, id, 'push', { isWaiting: false });
    await app.call('channels.delete', { params: { channelID: channel.id } });
    expect(await settled(app, id)).toMatchObject({ failure: { code: 'channel_deleted' } });
  });

  describe('a number of an account is deleted', () => {
    const callsHeldUntil = (channel: Channel) => heldUntil(app, poolOfCalls(channel));
    const ask = (operation: string, { id: channelID }: Channel) => app.call(`channels.${operation}`, { params: { channelID } });
    const sibling = ({ wabaId: waba_id, accessToken: access_token }: Channel) =>
      app.connect({ account: { waba_id, access_token } });
    const openJobOf = (id: string) =>
      storedJobs.one(app, { subject_id: id, state: ['blocked', 'waiting', 'queued', 'paused'] }, ['state', 'attempts', 'run']);

    test('its work fails; that of a number that cannot ask either waits on, until that one is connected again', async () => {
      const one = await unpaced(app);
      const other = await sibling(one);
      const [ofOne, ofOther] = [await draft(app, one), await draft(app, other)];
      for (const channel of [one, other]) await ask('disconnect', channel);
      expect(await callsHeldUntil(one)).toBe('infinity');
      await storedChannels.change(app, { id: [one.id, other.id] }, { status: 'connected' });
      for (const { id } of [ofOne, ofOther]) await asks(app, id, 'push', { isWaiting: false });
      await storedChannels.change(app, { id: [one.id, other.id] }, { status: 'auth_error' });
      const before = await openJobOf(ofOther.id);

      expect((await ask('delete', one)).status).toBe(204);
      expect(await settled(app, ofOne.id)).toMatchObject({ failure: { code: 'channel_deleted' } });
      expect(await callsHeldUntil(other)).toBe('infinity');
      expect(await openJobOf(ofOther.id)).toEqual(before);
      expect((await ask('reconnect', other)).status).toBe(200);
      expect(await settled(app, ofOther.id)).toMatchObject({ failure: null, provider_flow_id: expect.any(String) });
    });

    test('the last one that could ask: the work of the others waits, until another number is connected', async () => {
      const one = await unpaced(app);
      await ask('disconnect', await sibling(one));
      expect(await callsHeldUntil(one)).toBeNull();
      await ask('delete', one);
      expect(await callsHeldUntil(one)).toBe('infinity');
      const { id } = await draft(app, await sibling(one));
      expect(await callsHeldUntil(one)).toBeNull();
      await doneBy(app, id, 'push');
    });

    test('the last one: a number that is connected later finds the account free', async () => {
      const one = await unpaced(app);
      await ask('disconnect', one);
      await ask('delete', one);
      expect(await callsHeldUntil(one)).toBeNull();
    });
  });
});
