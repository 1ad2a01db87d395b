import { beforeAll, describe, expect, test } from '@jest/globals';
import { isUuid } from '../../src/ids.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import { type Tenant, useApp } from '../support/app.ts';
import { type Definition, definitions } from '../support/contract.ts';

const app = useApp();
/** By name, so that a new endpoint with a known parameter is walked without a new line here. */
let owned: Record<string, string>;
/** Bodies that a handler takes as valid, with the first organization's ids in them. */
let bodies: Record<string, unknown>;
let stranger: Tenant;

beforeAll(async () => {
  const channel = await app.connect();
  await app.storeTemplates(channel);
  const conversation = await app.conversation(channel);
  const message = (await app.text(channel, conversation.phone)).body.data;
  await app.rows(`update messages set status = 'failed' where id = $1`, [message.id]);
  await app.rows(`update jobs set state = 'failed' where subject_id = $1`, [message.id]);
  const endpoint = await app.call('webhooks.endpoints.create', {
    body: { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  });
  const sync = await app.call('templates.sync', { params: { channelID: channel.id } });
  owned = {
    channelID: channel.id,
    messageID: message.id,
    endpointID: endpoint.body.id,
    operationID: sync.headers.get('operation-id')!,
    conversationID: conversation.id,
    contactID: conversation.contactId,
  };
  const account = await app.account();
  bodies = {
    'messages.send': {
      channel_id: channel.id,
      contact_id: conversation.contactId,
      type: 'template',
      template: { name: 'hello', language: 'en_US' },
    },
    'channels.update': { name: 'Stolen', rate: 7 },
    // Its own: what two organizations may both ask for, each for itself.
    'channels.connect': { phone_number_id: account.phoneNumberId, waba_id: account.wabaId, access_token: account.accessToken },
    'webhooks.endpoints.create': { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  };
  stranger = await app.organization();
});

const paramsOf = ({ path }: Definition): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, owned[name!]!]));
const walked = definitions.map((endpoint) => [endpoint.operationId, endpoint] as const);
const protectedOnes = walked.filter(([, { scope }]) => scope !== 'public');
const callWith = (endpoint: Definition, key: string | null) =>
  app.call(endpoint.operationId, {
    key,
    params: paramsOf(endpoint),
    ...(endpoint.method !== 'get' && endpoint.method !== 'delete' && { body: bodies[endpoint.operationId] ?? {} }),
  });

test('the walk knows an id for every parameter and a body where one is needed', () => {
  for (const [, endpoint] of walked) {
    for (const [name, value] of Object.entries(paramsOf(endpoint))) expect([name, isUuid(value)]).toEqual([name, true]);
    const needsBody = endpoint.body?.validate({}).error !== undefined;
    expect([endpoint.operationId, needsBody && bodies[endpoint.operationId] === undefined]).toEqual([
      endpoint.operationId,
      false,
    ]);
  }
});

/** Everything the first organization has, as one text. */
async function ownedState(): Promise<string> {
  const tables = await app.rows(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'organization_id'`,
  );
  const rows = tables.map(({ name }) =>
    app.rows(`select to_jsonb(t) - 'last_used_at' as row from "${name}" t where organization_id = $1 order by 1`, [
      app.tenant.organizationId,
    ]),
  );
  const pools = [`channel:${owned.channelID}`, `endpoint:${owned.endpointID}`];
  return JSON.stringify([await Promise.all(rows), await app.rows('select * from pools where id = any($1) order by id', [pools])]);
}

describe("with another organization's key", () => {
  test.each(protectedOnes)('%s', async (_name, endpoint) => {
    const before = await ownedState();
    const { status, text } = await callWith(endpoint, stranger.key);
    const isNamed = endpoint.path.includes(':');
    if (isNamed) expect(status).toBe(404);
    // Without an id in the path it is the stranger's own list or his own new record; ids in the body are nobody's.
    else if (endpoint.operationId === 'messages.send') expect(status).toBe(404);
    else expect(status).toBeLessThan(300);
    for (const id of Object.values(owned)) expect(text).not.toContain(id);
    expect(await ownedState()).toBe(before);
  });
});

describe('with no key', () => {
  test.each(protectedOnes)('%s: 401', async (_name, endpoint) => {
    for (const key of [
      null,
      '',
      'kk_wrong',
      `${app.tenant.key.slice(0, -1)}${app.tenant.key.endsWith('0') ? '1' : '0'}`,
      app.tenant.key.toLowerCase(),
    ]) {
      const { status, headers } = await callWith(endpoint, key);
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="kanal"']);
    }
  });
});

describe('with a key that lacks the scope', () => {
  test.each(protectedOnes)('%s: 403 naming it', async (_name, endpoint) => {
    const { key } = await app.key(
      app.tenant.organizationId,
      scopes.filter((scope) => scope !== endpoint.scope),
    );
    const before = await ownedState();
    const { status, text } = await callWith(endpoint, key);
    expect(status).toBe(403);
    expect(text).toContain(String(endpoint.scope));
    expect(await ownedState()).toBe(before);
  });

  test.each(protectedOnes)('%s: its own scope is enough', async (_name, endpoint) => {
    const { key } = await app.key(stranger.organizationId, [endpoint.scope as (typeof scopes)[number]]);
    const { status } = await callWith(endpoint, key);
    expect([401, 403]).not.toContain(status);
  });
});

test('a revoked and an expired key are no keys', async () => {
  const [revoked, expired] = await Promise.all([1, 2].map(() => app.key(app.tenant.organizationId, scopes)));
  await app.rows('update api_keys set revoked_at = clock_timestamp() where id = $1', [revoked!.keyId]);
  await app.rows(`update api_keys set expires_at = clock_timestamp() - interval '1 s' where id = $1`, [expired!.keyId]);
  for (const { key } of [revoked!, expired!]) expect((await app.call('messages.list', { key })).status).toBe(401);
});

test('a key is never in the log', () => {
  expect(JSON.stringify(app.log.lines)).not.toContain(app.tenant.key);
});
