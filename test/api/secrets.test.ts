import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { Webhook } from 'standardwebhooks';
import { newCredential, newSecretToken } from '../../src/platform/credentials.ts';
import { cookieOf, mailedToken } from '../support/accounts.ts';
import { type App, appSecret, type Channel, type Reply, useApp, verifyToken } from '../support/app.ts';
import { presentBackends } from '../support/backends.ts';
import { person, testPassword } from '../support/factories/person.ts';
import { everythingLeftBy, leaks, type Text } from '../support/leaks.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { testRedisUrl } from '../support/redis.ts';
import { testHashKey, testSecretKey } from '../support/secrets.ts';
import { storedActs, storedIdempotencyKeys, storedPasswordResets } from '../support/stored/accounts.ts';
import { storedChannels } from '../support/stored/channels.ts';
import { now } from '../support/stored/times.ts';
import { waitFor } from '../support/wait-for.ts';

/** With a character that a URL escapes, and none that a header may not hold. */
const word = () => `secret+${randomBytes(12).toString('hex')}`;
const [operatorPassword, metricsToken, mailPassword] = [word(), word(), randomBytes(12).toString('hex')];
type Options = NonNullable<Parameters<App['call']>[1]>;

/** Somebody uses the product whole, well and badly; keeps each secret that is sent or shown. */
class Journey {
  readonly secrets = new Set([
    testSecretKey,
    testHashKey,
    appSecret,
    verifyToken,
    operatorPassword,
    metricsToken,
    mailPassword,
    testPassword,
  ]);
  readonly refusals: Text[] = [];
  readonly app: App;
  readonly receiver: Receiver;
  owner: Record<string, string> = {};
  channel!: Channel;

  constructor(app: App, receiver: Receiver) {
    this.app = app;
    this.receiver = receiver;
  }

  keep(secret: string): string {
    this.secrets.add(secret);
    return secret;
  }

  note(what: string, reply: Reply): Reply {
    if (reply.status >= 400) this.refusals.push({ place: `the ${reply.status} of ${what}`, text: reply.text });
    return reply;
  }

  async call(expected: number, operationId: string, headers: Record<string, string>, more: Omit<Options, 'headers'> = {}) {
    const reply = this.note(operationId, await this.app.call(operationId, { key: null, ...more, headers }));
    expect([operationId, reply.status]).toEqual([operationId, expected]);
    return reply;
  }

  async logIn(email: string, password: string) {
    const cookie = cookieOf(await this.call(200, 'auth.login', {}, { body: { email, password } }))!;
    this.keep(cookie.split('=')[1]!);
    return { cookie, origin: this.app.base };
  }

  async logins() {
    const { email, password } = await person(this.app.em(), this.app.tenant.organizationId);
    await this.call(401, 'auth.login', {}, { body: { email, password: this.keep(word()) } });
    await this.call(401, 'auth.login', {}, { body: { email: this.keep(word()), password: this.keep(word()) } });
    await this.call(422, 'auth.login', {}, { body: { email, password: this.keep(word()).repeat(40) } });
    await this.call(422, 'auth.login', {}, { body: { email, password: { value: this.keep(word()) } } });
    await this.call(422, 'auth.login', {}, { body: { email, password: `\u0000${this.keep(word())}` } });
    const broken = { headers: { 'content-type': 'application/json' }, key: null, body: `{"password":"${this.keep(word())}` };
    this.note('a broken login', await this.app.raw('POST', '/v1/auth/login', broken));
    this.owner = await this.logIn(email, password);
    const changed = this.keep(word());
    const change = (current_password: string, new_password: string) => ({ body: { current_password, new_password } });
    await this.call(422, 'auth.me.password', this.owner, change(this.keep(word()), changed));
    await this.call(422, 'auth.me.password', this.owner, change(password, this.keep(`${word()}${'x'.repeat(128)}`)));
    await this.call(200, 'auth.me.password', this.owner, change(password, changed));
    await this.call(200, 'auth.password-reset.request', {}, { body: { email } });
    const token = this.keep(await mailedToken(this.app, email));
    const reset = this.keep(word());
    const confirm = (new_password: string, by = token) => ({ body: { token: by, new_password } });
    await this.call(422, 'auth.password-reset.confirm', {}, confirm(reset, this.keep(newSecretToken())));
    await this.call(422, 'auth.password-reset.confirm', {}, confirm('short'));
    await this.call(200, 'auth.password-reset.confirm', {}, confirm(reset));
    await this.call(422, 'auth.password-reset.confirm', {}, confirm(this.keep(word())));
    await this.call(401, 'auth.me.get', this.owner);
    this.owner = await this.logIn(email, reset);
  }

  async invitations() {
    const email = `invited-${randomUUID()}@example.com`;
    const { body } = await this.call(201, 'invitations.create', this.owner, { body: { email, role: 'agent' } });
    const token = this.keep(body.token ?? (await mailedToken(this.app, email)));
    const accept = (by: string, password: string) => ({ body: { token: by, name: 'Bob', password } });
    await this.call(422, 'invitations.accept', {}, accept(this.keep(newSecretToken()), this.keep(word())));
    const password = this.keep(word());
    await this.call(200, 'invitations.accept', {}, accept(token, password));
    await this.call(422, 'invitations.accept', {}, accept(token, this.keep(word())));
    await this.call(204, 'auth.logout', await this.logIn(email, password), { body: { everywhere: true } });
    // A mail for which nothing takes the link out of the table.
    await this.call(201, 'invitations.create', this.owner, { body: { email: `late-${email}`, role: 'viewer' } });
    this.keep(await mailedToken(this.app, `late-${email}`));
  }

  async credentials() {
    const once = { ...this.owner, 'idempotency-key': randomUUID() };
    const wanted = { body: { name: 'Till', scopes: ['messages:read', 'webhooks:write'] } };
    const made = await this.call(201, 'api-keys.create', once, wanted);
    this.keep(made.body.key);
    expect((await this.call(201, 'api-keys.create', once, wanted)).text).toBe(made.text);
    await this.call(422, 'api-keys.create', once, { body: { ...wanted.body, name: 'Other' } });
    const params = { keyID: made.body.id };
    const rotated = await this.call(
      201,
      'api-keys.rotate',
      { ...this.owner, 'idempotency-key': randomUUID() },
      { params, body: {} },
    );
    this.keep(rotated.body.key);
    for (const { body } of [made, rotated]) await this.call(200, 'messages.list', { 'x-api-key': body.key });
    await this.call(204, 'api-keys.delete', this.owner, { params });
    await this.call(401, 'messages.list', { 'x-api-key': made.body.key });
    const forToken = { ...this.owner, 'idempotency-key': randomUUID() };
    const token = await this.call(201, 'auth.tokens.create', forToken, { body: { name: 'Laptop' } });
    await this.call(201, 'auth.tokens.create', forToken, { body: { name: 'Laptop' } });
    const bearer = { authorization: `Bearer ${this.keep(token.body.token)}` };
    await this.call(200, 'auth.me.get', bearer);
    await this.call(403, 'auth.tokens.list', bearer);
    await this.call(204, 'auth.tokens.delete', this.owner, { params: { tokenID: token.body.id } });
    await this.call(401, 'auth.me.get', bearer);
    for (const headers of [
      { 'x-api-key': this.keep(newCredential('kk_')) },
      { 'x-api-key': this.keep(word()) },
      { authorization: `Bearer ${this.keep(newCredential('kt_'))}` },
      { authorization: `Bearer ${rotated.body.key}` },
      { authorization: `Basic ${Buffer.from(`ada:${this.keep(word())}`).toString('base64')}` },
      { cookie: `kanal_session=${this.keep(newSecretToken())}` },
    ] as Record<string, string>[])
      await this.call(401, 'messages.list', headers);
    await this.call(422, 'messages.list', { 'x-api-key': rotated.body.key }, { query: { key: this.keep(word()) } });
    await this.app.raw('GET', `/nowhere?token=${encodeURIComponent(this.keep(word()))}`, { key: null });
  }

  async automation() {
    const params = { secretName: 'CRM_TOKEN' };
    const put = (expected: number, value: unknown) =>
      this.call(expected, 'automation.secrets.put', this.owner, { params, body: { value, hosts: ['example.com'] } });
    await put(200, this.keep(word()));
    await put(200, this.keep(word()));
    await put(422, this.keep(word()).repeat(400));
    await put(422, [this.keep(word())]);
    const step = { type: 'http_request', url: 'https://example.com/', headers: { Authorization: '{{ secrets.CRM_TOKEN }}' } };
    const body = { name: 'Tell', trigger: { type: 'manual' }, steps: [{ id: 'tell', ...step }] };
    const { id } = (await this.call(201, 'automation.rules.create', this.owner, { body })).body;
    await this.call(200, 'automation.rules.publish', this.owner, { params: { ruleID: id }, body: {} });
    await this.call(409, 'automation.secrets.delete', this.owner, { params });
    await this.call(200, 'automation.secrets.list', this.owner);
  }

  async operators() {
    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
      'sec-fetch-site': 'same-origin',
    });
    const ask = (method: string, path: string, headers: Record<string, string>) =>
      this.app.raw(method, path, { key: null, headers });
    await waitFor('the board', async () => (await ask('GET', '/ops/queues/api/queues', basic(operatorPassword))).status === 200);
    this.note('the board', await ask('GET', '/ops/queues', basic(this.keep(word()))));
    const statuses = [
      await ask('PUT', '/ops/queues/api/queues/webhook-retries/pause', basic(operatorPassword)),
      await ask('GET', '/metrics', { authorization: `Bearer ${metricsToken}` }),
      this.note('the metrics', await ask('GET', '/metrics', { authorization: `Bearer ${this.keep(word())}` })),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 401]);
    for (const [token, expected] of [
      [verifyToken, 200],
      [this.keep(word()), 403],
    ] as const) {
      const query = { 'hub.mode': 'subscribe', 'hub.challenge': '7', 'hub.verify_token': token };
      await this.call(expected, 'provider-webhooks.verify', {}, { query });
    }
  }

  async channels() {
    const [mine, other] = [await this.app.account({ access_token: this.keep(word()) }), await this.app.account()];
    const connect = (account: typeof mine, access_token: string) => ({
      body: {
        phone_number_id: account.phoneNumberId,
        waba_id: account.wabaId,
        access_token,
        app_secret: this.keep(word()),
        verify_token: this.keep(word()),
      },
    });
    const once = { ...this.owner, 'idempotency-key': randomUUID() };
    const wrong = connect(other, this.keep(word()));
    for (let n = 0; n < 2; n += 1) await this.call(422, 'channels.connect', once, wrong);
    const right = connect(mine, mine.accessToken);
    const again = { ...this.owner, 'idempotency-key': randomUUID() };
    const { id } = (await this.call(201, 'channels.connect', again, right)).body;
    await this.call(201, 'channels.connect', again, right);
    await this.call(422, 'channels.update', this.owner, { params: { channelID: id }, body: { access_token: this.keep(word()) } });
    await this.call(200, 'channels.update', this.owner, { params: { channelID: id }, body: { access_token: mine.accessToken } });
    this.note('a forged webhook', await this.app.webhook({ object: 'x' }, { path: `/${id}`, secret: this.keep(word()) }));
    this.channel = { id, ...mine, tenant: this.app.tenant };
  }

  /** One to its end, one that is left with its token and a PIN that the provider refuses. */
  async onboarding() {
    const waiting = { ...this.owner, prefer: 'wait=20' };
    for (const isRefused of [false, true]) {
      const account = { access_token: this.keep(word()), subscribed: false, registered: false };
      const { phoneNumberId, wabaId } = await this.app.account(account);
      const code = this.keep(word());
      await this.app.control('POST', '/codes', { phone_number_id: phoneNumberId, code });
      const { id } = (await this.call(201, 'onboarding.start', this.owner)).body;
      const params = { progressID: id };
      await this.call(422, 'onboarding.exchange-token', waiting, { params, body: { code: this.keep(word()) } });
      await this.call(200, 'onboarding.exchange-token', waiting, { params, body: { code } });
      const ids = { phone_number_id: phoneNumberId, progress_id: id, waba_id: wabaId };
      await this.call(200, 'onboarding.subscribe-webhook', waiting, { body: ids });
      if (isRefused) await this.app.fault(this.channel, { match: { path: '/register' }, status: 400, code: 133005 });
      await this.call(isRefused ? 422 : 200, 'onboarding.register-phone', waiting, { params, body: { pin: '246813' } });
      if (!isRefused) await this.call(200, 'onboarding.sync-assets', waiting, { params });
    }
  }

  async deliveries() {
    const body = {
      url: this.receiver.url,
      event_types: ['message.sent', 'message.failed'],
      headers: { Authorization: `Bearer ${this.keep(word())}` },
    };
    const once = { ...this.owner, 'idempotency-key': randomUUID() };
    const { secret, id } = (await this.call(201, 'webhooks.endpoints.create', once, { body })).body;
    this.keep(secret);
    await this.call(201, 'webhooks.endpoints.create', once, { body });
    this.receiver.answer({ status: 500 }, {});
    await this.call(422, 'webhooks.endpoints.test', { ...this.owner, prefer: 'wait=10' }, { params: { endpointID: id } });
    const { phone } = await this.app.conversation(this.channel);
    const send = async () => (await this.app.text(this.channel, phone)).body.data.id as string;
    await this.app.messageIn(await send(), 'read');
    const [delivered] = await waitFor('the delivery', () => {
      const sent = this.receiver.ofType('message.sent');
      return sent.length > 0 && sent;
    });
    expect(new Webhook(secret).verify(delivered!.raw, delivered!.headers as Record<string, string>)).toBeTruthy();
    await this.app.fault(this.channel, { status: 400, code: 131026 });
    await this.app.messageIn(await send(), 'failed');
    await waitFor('the second delivery', () => this.receiver.ofType('message.failed').length > 0);
    await this.app.fault(this.channel, { status: 401, code: 190 });
    await send();
    await waitFor('the hold', async () => {
      const { status } = await storedChannels.one(this.app, this.channel.id);
      return status === 'auth_error';
    });
  }
}

describe.each(presentBackends().map((make) => [make.backendName, make.queueUrl] as const))('on %s', (name, queueUrl) => {
  const app = useApp({
    env: {
      OPERATOR_PASSWORD: operatorPassword,
      METRICS_TOKEN: metricsToken,
      // Nobody listens there: what is mailed fails.
      MAIL_URL: `smtp://mailer:${mailPassword}@127.0.0.1:9`,
      ...(queueUrl && { QUEUE_URL: queueUrl }),
    },
  });
  let receiver: Receiver;
  let journey: Journey;

  beforeAll(async () => {
    receiver = await startReceiver();
    journey = new Journey(app, receiver);
    journey.keep(app.tenant.key);
    // The links are read before a worker has taken them out of the table.
    await journey.logins();
    await journey.invitations();
    await app.startWorkers();
    await journey.credentials();
    await journey.automation();
    await journey.operators();
    await journey.channels();
    await journey.onboarding();
    await journey.deliveries();
    await app.idle();
  });
  afterAll(() => receiver.close());

  test('the journey was a whole one', async () => {
    const { idempotency_keys, mails, webhook_attempts, audit_log, jobs } = await app.counts();
    expect([idempotency_keys! >= 6, mails, webhook_attempts! >= 3, audit_log! >= 20, jobs! >= 3]).toEqual([
      true,
      3,
      true,
      true,
      true,
    ]);
    const left = await everythingLeftBy(app);
    const has = (place: RegExp) => left.some((text) => place.test(text.place));
    expect(has(name === 'redis' ? /^Redis/ : /^bullmq\./)).toBe(true);
    for (const line of ['request', 'job']) expect([line, has(new RegExp(`^the log: ${line}`))]).toEqual([line, true]);
    expect([journey.secrets.size >= 45, journey.refusals.length >= 25]).toEqual([true, true]);
  });

  test('no secret of it stands anywhere in the clear, nor in an error', async () => {
    expect(leaks(await everythingLeftBy(app), journey.secrets)).toEqual([]);
    expect(leaks(journey.refusals, journey.secrets)).toEqual([]);
  });

  test('stored replies are sealed', async () => {
    const replies = await storedIdempotencyKeys.all(app, {}, { columns: ['reply'] });
    const opened = replies.map(({ reply }) => app.web.deps.secrets.open(reply));
    expect(leaks([{ place: 'an opened reply', text: opened.join('\n') }], journey.secrets).length).toBeGreaterThan(3);
  });

  test('what stands somewhere is found, in any form', async () => {
    const planted = new Map<string, string>();
    const plant = (place: string, secret = word()) => {
      planted.set(place, secret);
      return secret;
    };
    const act = (subject: string, details: object) =>
      storedActs.add(app, { organization_id: app.tenant.organizationId, actor: 'x', action: 'x', subject, details });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    await act(`x:${plant('as it is')}`, {});
    await act('x', { header: `Basic ${base64(`operator:${plant('base64 of more')}`)}` });
    await act('x', { header: Buffer.from(`ab${plant('base64url at another place')}`).toString('base64url') });
    await act('x', { url: `https://example.com/?q=${encodeURIComponent(plant('in a URL'))}` });
    await act('x', { hex: Buffer.from(plant('as hex')).toString('hex') });
    await act('x', { nested: JSON.stringify({ deep: plant('in JSON in JSON') }) });
    await act('x', { key: plant('without its prefix', newCredential('kk_')).slice(3) });
    const { id } = await app.one('select id from users limit 1');
    await storedPasswordResets.add(app, { user_id: id, hash: Buffer.from(`\u0001${plant('as bytes')}`), expires_at: now() });
    app.log.log.info({ err: new Error(`refused: ${plant('in an error that is logged')}`) }, 'planted');
    if (name === 'postgres')
      await app.rows(`create table bullmq.planted as select $1::text as said`, [plant('beside the queue')]);
    const redis = testRedisUrl();
    if (redis && name === 'redis') {
      const client = new Redis(redis);
      await client.hset('planted', 'data', JSON.stringify({ said: plant('in Redis') }));
      await client.quit();
    }
    const left = await everythingLeftBy(app);
    for (const [place, secret] of planted) expect([place, leaks(left, [secret]).length]).toEqual([place, 1]);
  });
});
