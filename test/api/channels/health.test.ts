import { describe, expect, test } from '@jest/globals';
import { askDueChecks } from '../../../src/channels/due-checks.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyOf, entry } from '../../support/provider-body.ts';
import { heldUntil } from '../../support/stored/api-jobs.ts';
import { waitFor } from '../../support/wait-for.ts';

// An answer that is late is not a lost one.
const app = useApp({ workers: true, env: { PROVIDER_TIMEOUT_MS: '10000' } });

const health = async ({ id }: Channel) => (await app.call('channels.health.get', { params: { channelID: id } })).body;
const check = ({ id }: Channel, prefer = 'wait=20') =>
  app.call('channels.health.check', { params: { channelID: id }, headers: { prefer } });
const change = ({ phoneNumberId }: Channel, more: object) =>
  app.control('POST', '/numbers', { phone_number_id: phoneNumberId, ...more });
const changes = async ({ id }: Channel) =>
  (await app.events(id)).map(({ data }) => data).filter(({ changed }) => changed[0] !== 'status');

describe('health', () => {
  test('of a new channel: the token was tried, the rest is not known yet', async () => {
    const channel = await app.connect({ body: { rate: 40 } });
    expect(await health(channel)).toMatchObject({
      channel_id: channel.id,
      status: 'connected',
      authorization: 'valid',
      quality: 'unknown',
      messaging_limit: '',
      rate: 40,
      verified_name: 'Test Business',
      webhook_subscribed: null,
      last_inbound_at: null,
      last_outbound_at: null,
      messages_waiting: 0,
      checked_at: null,
    });
  });

  test('a check reads the number, and the last messages of both directions', async () => {
    const channel = await app.connect();
    await change(channel, { messaging_limit_tier: 'TIER_10K' });
    const phone = app.phone();
    await app.inbound(channel, phone);
    const { body: sent } = await app.text(channel, phone);
    await app.messageIn(sent.data.id, 'read');
    const { status, body } = await check(channel);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      authorization: 'valid',
      quality: 'green',
      messaging_limit: 'tier_10k',
      throughput: 'high',
      name_status: 'approved',
      problem: '',
    });
    expect([body.last_inbound_at, body.last_outbound_at, body.checked_at].every((at) => Date.parse(at) > 0)).toBe(true);
    expect(await health(channel)).toEqual(body);
  });

  test('what waits in a held channel is counted', async () => {
    const channel = await app.connect();
    await app.hold(channel);
    for (let index = 0; index < 3; index += 1) await app.text(channel, (await app.conversation(channel)).phone);
    expect((await health(channel)).messages_waiting).toBe(3);
  });

  test('a check under way is named again', async () => {
    const channel = await app.connect();
    await app.control('POST', '/faults', { kind: 'delay', match: { path: channel.phoneNumberId }, delay_ms: 3_000 });
    const [one, other] = [await check(channel, ''), await check(channel, '')];
    expect(one.headers.get('operation-id')).toBe(other.headers.get('operation-id'));
    await app.idle();
  });

  test('a refused token holds the channel; a good one lets it go, with what waited', async () => {
    const channel = await app.connect();
    const { phone } = await app.conversation(channel);
    await change(channel, { refuses: 190 });
    const { status, body } = await check(channel);
    expect([status, body.error.code, body.error.details[0].code]).toEqual([422, 'provider_refused', '190']);
    expect(await health(channel)).toMatchObject({ status: 'auth_error', authorization: 'invalid' });
    expect((await app.text(channel, phone)).status).toBe(409);
    expect(await heldUntil(app, `channel:${channel.id}`)).toBe('infinity');

    await change(channel, { refuses: null });
    expect((await check(channel)).body).toMatchObject({ status: 'connected', authorization: 'valid' });
    const { body: message } = await app.text(channel, phone);
    await app.messageIn(message.data.id, 'read');
  });

  test('a refusal that is not about the token is shown, and stops nothing', async () => {
    const channel = await app.connect();
    await app.control('POST', '/faults', { kind: 'status', match: { path: channel.phoneNumberId }, status: 400, code: 100 });
    const { body } = await check(channel);
    expect(body).toMatchObject({ status: 'connected', authorization: 'valid' });
    expect(body.problem).toContain('#100');
    expect((await check(channel)).body.problem).toBe('');
  });

  test('of a missing channel: 404', async () => {
    const params = { channelID: '01932d5f-3a0e-7cc4-8f4e-0242ac120005' };
    for (const operation of ['channels.health.get', 'channels.health.check'])
      expect((await app.call(operation, { params })).body.error.message).toBe('Channel not found');
  });
});

describe("the provider's webhooks", () => {
  const heard = (channel: Channel, fields: object) =>
    waitFor('the news', async () => {
      const now = await health(channel);
      return Object.entries(fields).every(([field, value]) => now[field] === value) && now;
    });

  test('quality, limit, throughput and name are stored and told once each', async () => {
    const channel = await app.connect();
    await change(channel, { messaging_limit_tier: 'TIER_10K' });
    await heard(channel, { messaging_limit: 'tier_10k' });
    await check(channel);
    await change(channel, { quality_rating: 'RED' });
    await heard(channel, { quality: 'red' });
    await change(channel, { messaging_limit_tier: 'TIER_1K' });
    await heard(channel, { messaging_limit: 'tier_1k' });
    await change(channel, { name_status: 'DECLINED' });
    await heard(channel, { name_status: 'declined' });
    expect(await changes(channel)).toEqual([
      { channel_id: channel.id, status: 'connected', changed: ['messaging_limit'], messaging_limit: 'tier_10k' },
      { channel_id: channel.id, status: 'connected', changed: ['quality'], quality: 'red' },
      { channel_id: channel.id, status: 'connected', changed: ['messaging_limit'], messaging_limit: 'tier_1k' },
      { channel_id: channel.id, status: 'connected', changed: ['name_status'], name_status: 'declined' },
    ]);
    // The rest is read soon.
    const [row] = await app.rows(
      'select next_check_at <= clock_timestamp() as is_due from channel_health where channel_id = $1',
      [channel.id],
    );
    expect(row).toEqual({ is_due: true });
  });

  test('a limit that a webhook writes as a number is the tier that the check after it reads: told once', async () => {
    const channel = await app.connect();
    await change(channel, { messaging_limit_tier: 'TIER_250' });
    await heard(channel, { messaging_limit: 'tier_250' });
    const told = await changes(channel);
    const value = { max_daily_conversations_per_business: 250, max_phone_numbers_per_business: 2 };
    await app.webhook(bodyOf(entry(channel, { field: 'business_capability_update', value })));
    await app.idle();
    expect(await check(channel)).toMatchObject({ body: { messaging_limit: 'tier_250' } });
    expect(await changes(channel)).toEqual(told);
  });

  test('the first word on something is told where a webhook has it, not where a check reads it', async () => {
    const [flagged, checked] = [await app.connect(), await app.connect()];
    await change(flagged, { quality_rating: 'RED' });
    await heard(flagged, { quality: 'red' });
    expect((await changes(flagged))[0]).toMatchObject({ quality: 'red', changed: expect.arrayContaining(['quality']) });
    await check(checked);
    expect(await changes(checked)).toEqual([]);
  });

  test.each(['ACCOUNT_RESTRICTION', 'ACCOUNT_VIOLATION'])('the first %s of an account is told', async (event) => {
    const channel = await app.connect();
    await change(channel, { account_event: event });
    await heard(channel, { account_status: event.toLowerCase() });
    expect(await changes(channel)).toEqual([
      { channel_id: channel.id, status: 'connected', changed: ['account_status'], account_status: event.toLowerCase() },
    ]);
  });

  test('the first word that an account will be disabled is told', async () => {
    const channel = await app.connect();
    await change(channel, { account_event: 'DISABLED_UPDATE', ban_state: 'SCHEDULE_FOR_DISABLE' });
    await heard(channel, { account_status: 'ban_schedule_for_disable' });
    expect(await changes(channel)).toMatchObject([{ account_status: 'ban_schedule_for_disable', status: 'connected' }]);
  });

  test('a banned account stops all its channels, and a lifted ban lets them go', async () => {
    const channel = await app.connect();
    const other = await app.connect({ account: { waba_id: channel.wabaId, access_token: channel.accessToken } });
    const stranger = await app.connect();
    await change(channel, { account_event: 'DISABLED_UPDATE', ban_state: 'DISABLE' });
    for (const one of [channel, other]) await heard(one, { status: 'restricted', account_status: 'ban_disable' });
    expect((await health(stranger)).status).toBe('connected');
    await change(channel, { account_event: 'DISABLED_UPDATE', ban_state: 'REINSTATE' });
    for (const one of [channel, other]) await heard(one, { status: 'connected', account_status: 'ban_reinstate' });
  });

  test.each(['ACCOUNT_OFFBOARDED', 'ACCOUNT_DELETED'])('%s stops a channel, and it is told', async (event) => {
    const channel = await app.connect();
    await change(channel, { account_event: event });
    await heard(channel, { status: 'restricted', account_status: event.toLowerCase() });
    expect((await app.text(channel, app.phone())).status).toBe(409);
    expect((await app.events(channel.id)).slice(-2).map(({ data }) => data)).toEqual([
      { channel_id: channel.id, status: 'restricted', changed: ['status'] },
      { channel_id: channel.id, status: 'restricted', changed: ['account_status'], account_status: event.toLowerCase() },
    ]);
  });

  test('an account that is reconnected lets its channels go', async () => {
    const channel = await app.connect();
    await change(channel, { account_event: 'ACCOUNT_OFFBOARDED' });
    await heard(channel, { status: 'restricted' });
    await change(channel, { account_event: 'ACCOUNT_RECONNECTED' });
    await heard(channel, { status: 'connected', account_status: 'account_reconnected' });
  });

  test.each(['PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED'])('%s is told, and the next look checks the token', async (event) => {
    const channel = await app.connect();
    await app.idle();
    await change(channel, { account_event: event, refuses: 190 });
    await heard(channel, { status: 'connected', account_status: event.toLowerCase() });
    expect(await changes(channel)).toMatchObject([{ account_status: event.toLowerCase() }]);
    await askDueChecks(app.web.deps.ledger.transact, 3600);
    await heard(channel, { status: 'auth_error', authorization: 'invalid' });
  });

  test('a ban that is told again after it was lifted stops nothing; a later one does', async () => {
    const channel = await app.connect();
    const at = Math.floor(Date.now() / 1_000) - 86_400;
    const told = async (ban: string, time: number) => {
      const value = { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: ban } };
      await app.webhook({
        object: 'whatsapp_business_account',
        entry: [{ id: channel.wabaId, time, changes: [{ field: 'account_update', value }] }],
      });
      await app.idle();
      const { status, account_status } = await health(channel);
      return [status, account_status];
    };
    expect(await told('DISABLE', at)).toEqual(['restricted', 'ban_disable']);
    expect(await told('REINSTATE', at + 60)).toEqual(['connected', 'ban_reinstate']);
    expect(await told('DISABLE', at)).toEqual(['connected', 'ban_reinstate']);
    expect(await told('DISABLE', at + 120)).toEqual(['restricted', 'ban_disable']);
    expect(await told('REINSTATE', at + 60)).toEqual(['restricted', 'ban_disable']);
  });

  test('a restriction of the account is shown, and stops nothing', async () => {
    const channel = await app.connect();
    await change(channel, { account_event: 'ACCOUNT_RESTRICTION' });
    expect(await heard(channel, { account_status: 'account_restriction' })).toMatchObject({ status: 'connected' });
  });
});
