import { describe, expect, test } from '@jest/globals';
import { askDueChecks, maxDue } from '../../../src/channels/due-checks.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { channelHealthRows, channelRows } from '../../support/work/channels.ts';
import { hasWork, heldUntil, jobRows, poolRows } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { ahead, rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true });

const due = (...channels: Channel[]) =>
  channelHealthRows.change(app, { channel_id: { $in: channels.map(({ id }) => id) } }, { next_check_at: rightNow() });
const later = () => channelHealthRows.change(app, {}, { next_check_at: ahead('1 hour') });
const look = () => askDueChecks(app.web.deps.ledger.transact, 3_600);
const row = ({ id }: Channel) => channelHealthRows.one(app, { channel_id: id });
const refuse = ({ phoneNumberId }: Channel, code: number | null) =>
  app.control('POST', '/numbers', { phone_number_id: phoneNumberId, refuses: code });
const statusOf = async ({ id }: Channel) => (await channelRows.one(app, id)).status;

describe('checks by time', () => {
  test('a due channel is checked once, and again an hour later', async () => {
    const channel = await app.connect();
    await later();
    await due(channel);
    expect((await Promise.all([look(), look(), look()])).reduce((sum, found) => sum + found)).toBe(1);
    const checked = await waitFor('the check', async () => {
      const health = await row(channel);
      return health.checked_at !== null && health;
    });
    expect(checked).toMatchObject({ token_state: 'valid', quality: 'green' });
    const inMinutes = (Date.parse(checked.next_check_at) - Date.now()) / 60_000;
    expect(inMinutes).toBeGreaterThan(40);
    expect(inMinutes).toBeLessThan(76);
    expect(await look()).toBe(0);
  });

  test('it is no operation that somebody asked for', async () => {
    const { body } = await app.call('operations.list', { query: { name: 'channels.watch' } });
    expect(body.items).toEqual([]);
  });

  test('one look takes a bounded number of channels', async () => {
    const channel = await app.connect();
    for (let count = 0; count < maxDue; count += 1)
      await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
    await later();
    await channelHealthRows.change(app, {}, { next_check_at: rightNow() });
    expect(await look()).toBe(maxDue);
    await app.idle();
  });

  test('a token that cannot be decrypted ends each check with a problem; a new token mends it', async () => {
    const channel = await app.connect();
    const problem = async () => (await row(channel)).problem;
    await app.idle();
    await later();
    await channelRows.change(app, channel.id, { access_token: 'unknown.a.b.c' });
    await due(channel);
    expect(await look()).toBe(1);
    await waitFor('the problem', async () => (await problem()).includes('cannot be decrypted'));
    await app.idle();
    expect(await jobRows.count(app, { subject_id: channel.id, name: 'channels.watch' })).toBe(0);
    await app.call('channels.update', {
      params: { channelID: channel.id },
      body: { access_token: channel.accessToken },
    });
    expect(await problem()).toBe('');
  });

  test('a channel whose last check is still under way gets no second one', async () => {
    const channel = await app.connect();
    await app.idle();
    await later();
    await app.control('POST', '/faults', { kind: 'status', match: { path: channel.phoneNumberId }, status: 500, times: 100 });
    for (let turn = 0; turn < 3; turn += 1) {
      await due(channel);
      expect(await look()).toBe(turn === 0 ? 1 : 0);
    }
    expect(await jobRows.count(app, { subject_id: channel.id, name: 'channels.watch' })).toBe(1);
  });

  test('a channel that was disconnected by hand is passed over', async () => {
    const channel = await app.connect();
    await app.call('channels.disconnect', { params: { channelID: channel.id } });
    await later();
    await due(channel);
    expect(await look()).toBe(0);
    expect((await row(channel)).checked_at).toBeNull();
  });

  test('a token that stops working is found without a message, and so is its return', async () => {
    const channel = await app.connect();
    await later();
    await refuse(channel, 190);
    await due(channel);
    await look();
    await waitFor('the stop', async () => (await statusOf(channel)) === 'auth_error');
    expect((await row(channel)).token_state).toBe('invalid');
    await waitFor('the end of the check', async () => !(await hasWork(app, 'channels.watch', channel.id)));
    await refuse(channel, null);
    await due(channel);
    await look();
    await waitFor('the return', async () => (await statusOf(channel)) === 'connected');
    const [pool] = await poolRows.all(app, `channel:${channel.id}`, ['held_until']);
    expect(pool).toEqual({ held_until: null });
  });

  test('a restricted channel is not let go by a good token', async () => {
    const channel = await app.connect();
    await channelRows.change(app, channel.id, { status: 'restricted' });
    await later();
    await due(channel);
    await look();
    await waitFor('the check', async () => (await row(channel)).checked_at !== null);
    expect(await statusOf(channel)).toBe('restricted');
  });

  test('a ban outlives a token that is refused for a while', async () => {
    const channel = await app.connect();
    await app.idle();
    await channelRows.change(app, channel.id, { status: 'restricted' });
    await later();
    const tokenBecomes = async (state: string) => {
      await due(channel);
      await look();
      await waitFor(`a token that is ${state}`, async () => (await row(channel)).token_state === state);
      await app.idle();
    };
    await refuse(channel, 190);
    await tokenBecomes('invalid');
    expect(await statusOf(channel)).toBe('restricted');
    await refuse(channel, null);
    await tokenBecomes('valid');
    expect(await statusOf(channel)).toBe('restricted');
  });

  test('a provider that is away changes nothing', async () => {
    const channel = await app.connect();
    await app.idle();
    await later();
    await app.control('POST', '/faults', { kind: 'status', match: { path: channel.phoneNumberId }, status: 500, times: 100 });
    await due(channel);
    await look();
    const job = await waitFor('a spent try', async () => {
      const [found] = await jobRows.all(app, { subject_id: channel.id, name: 'channels.watch' });
      return found && found.attempts >= 1 && found;
    });
    expect(job).toMatchObject({ state: 'queued', error: { code: 'provider_failed' } });
    expect(await statusOf(channel)).toBe('connected');
    expect((await row(channel)).token_state).toBe('valid');
  });
});

describe('a token that is refused stops the channel whatever was asked', () => {
  type Make = (channel: Channel) => Promise<{ params: Record<string, string>; body?: object }>;
  test.each<[string, string, Make]>([
    ['a sync of templates', 'templates.sync', async ({ id }) => ({ params: { channelID: id } })],
    [
      'a receipt',
      'messages.read',
      async (channel) => {
        const phone = app.phone();
        await app.inbound(channel, phone);
        const { id } = await messageRows.one(app, { from_phone: phone }, ['id']);
        return { params: { messageID: id }, body: {} };
      },
    ],
  ])('%s', async (_what, operation, make) => {
    const channel = await app.connect();
    await app.idle();
    const call = await make(channel);
    await refuse(channel, 190);
    const { status } = await app.call(operation, call);
    expect(status).toBe(200);
    await waitFor('the stop', async () => (await statusOf(channel)) === 'auth_error');
    expect(await heldUntil(app, `channel:${channel.id}`)).toBe('infinity');
  });
});
