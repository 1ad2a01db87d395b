import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Role, roles, scopesOf } from '../../src/organizations/roles.ts';
import { type Scope, scopes } from '../../src/organizations/scopes.ts';
import { newCredential, newSecretToken } from '../../src/platform/credentials.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Reply, type Tenant, useApp } from '../support/app.ts';
import { at, book, bookable, orderFor } from '../support/bookings.ts';
import { type Definition, definitions, isPersonal } from '../support/contract.ts';
import { isDeep, sampleRows, some, someOf } from '../support/depth.ts';
import { exampleBody, paramNamesOf } from '../support/examples.ts';
import { bearerToken, person, sessionHeaders } from '../support/factories/person.ts';
import { ownedRecords } from '../support/owned.ts';
import { storedApiKeys, storedBearerTokens, storedMemberships, storedSessions } from '../support/stored/accounts.ts';
import { ago, now } from '../support/stored/times.ts';
import { stateAtRest, storedState } from '../support/stored.ts';

/**
 * Who may call what, for every endpoint there is: a new one is in here without a line more. By default each endpoint meets a few of the
 * credentials and each credential a few of the endpoints, since one middleware checks them all; the deep run has the whole product.
 */
// Many credentials ask concurrently: limits of requests are the subject of other tests.
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0', DOWNLOADS_PER_ORGANIZATION: '100', UPLOADS_PER_ORGANIZATION: '100' } });

type Headers = Record<string, string>;
/** What a caller sends, by a name that a failure shows. */
type Credentials = Record<string, Headers>;

let owned: Record<string, string>;
let broken: Credentials;
let ended: Credentials;
/** A session in which no organization is active. */
let homeless: Headers;
/** A member of each role, of the first organization. */
const members = new Map<Role, string>();

const guarded = definitions
  .filter(({ scope }) => scope !== 'public')
  .map((endpoint, index) => [endpoint.operationId, endpoint, index] as const);
const scoped = guarded.filter(([, endpoint]) => !isPersonal(endpoint));
const personal = guarded.filter(([, endpoint]) => isPersonal(endpoint));

const paramsOf = (endpoint: Definition, valueFor: (name: string) => string) =>
  Object.fromEntries(paramNamesOf(endpoint).map((name) => [name, valueFor(name)]));

/** Its example; the organization in it is the caller's, every other id nobody's. */
const bodyOf = (endpoint: Definition) =>
  endpoint.method === 'get' || endpoint.method === 'delete'
    ? undefined
    : (exampleBody(endpoint, { organization: app.tenant.organizationId }) ?? {});

const ask = (endpoint: Definition, headers: Headers, params: Record<string, string>) =>
  app.call(endpoint.operationId, { key: null, headers, params, query: queryOf(endpoint), body: bodyOf(endpoint) });
/** Where one is needed. */
const queryOf = ({ query, example }: Definition) => query?.validate({}).error && (example.query as Record<string, string>);
/** Of the first organization's records: whoever gets through does something to them. */
const askForOwned = (endpoint: Definition, headers: Headers) =>
  ask(
    endpoint,
    headers,
    paramsOf(endpoint, (name) => owned[name] ?? uuidv7()),
  );
/** Of a record nobody has: whoever gets through does no harm, and gets a 404. */
const askForNone = (endpoint: Definition, headers: Headers) => ask(endpoint, headers, paramsOf(endpoint, uuidv7));

/** A credential is made once for the whole walk. */
const made = new Map<string, Promise<Headers>>();
function once(name: string, make: () => Promise<Headers>): Promise<Headers> {
  const known = made.get(name) ?? make();
  made.set(name, known);
  return known;
}
const keyWith = (granted: readonly Scope[]) =>
  once(`key ${granted}`, async () => ({ 'x-api-key': (await app.key(app.tenant.organizationId, [...granted])).key }));
const tokenWith = (role: Role, granted: readonly Scope[]) =>
  once(
    `token ${role} ${granted}`,
    async () => (await bearerToken(app.em(), app.tenant.organizationId, members.get(role)!, [...granted])).headers,
  );
const newSessionOf = async (role: Role): Promise<Headers> =>
  (await sessionHeaders(app.em(), members.get(role)!, app.base)).headers;
const sessionOf = (role: Role) => once(`session ${role}`, () => newSessionOf(role));

const without = (...lacked: Definition['scope'][]) => scopes.filter((one) => !lacked.includes(one));
const swapCase = (text: string) => text.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
const otherEnd = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

beforeAll(async () => {
  const em = app.em();
  const { organizationId, key } = app.tenant;
  owned = await ownedRecords(app);
  for (const role of roles) members.set(role, (await person(em, organizationId, role)).userId);
  const owner = members.get('owner')!;

  const { token } = await bearerToken(em, organizationId, owner);
  const { token: session } = await sessionHeaders(em, owner, app.base);
  const cookie = (value: string) => ({ cookie: `kanal_session=${value}`, origin: app.base });
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
  broken = {
    nothing: {},
    'an empty key': { 'x-api-key': '' },
    'a word for a key': { 'x-api-key': 'secret' },
    'the beginning of a key': { 'x-api-key': 'kk_wrong' },
    'a key cut off': { 'x-api-key': key.slice(0, -1) },
    'a key of another checksum': { 'x-api-key': otherEnd(key) },
    'a key in other case': { 'x-api-key': `kk_${swapCase(key.slice(3))}` },
    'a key in small letters': { 'x-api-key': key.toLowerCase() },
    'a key nobody made': { 'x-api-key': newCredential('kk_') },
    'two keys': { 'x-api-key': `${key}, ${key}` },
    'a token for a key': { 'x-api-key': token },
    'an empty Authorization': { authorization: '' },
    'Bearer and nothing': { authorization: 'Bearer' },
    'a token without its scheme': { authorization: token },
    'a token of scheme Basic': { authorization: `Basic ${token}` },
    'a token of scheme Token': { authorization: `Token ${token}` },
    'a token and a word': { authorization: `Bearer ${token} more` },
    'a key as bearer token': bearer(key),
    'a word for a token': bearer('secret'),
    'a token cut off': bearer(token.slice(0, -1)),
    'a token of another checksum': bearer(otherEnd(token)),
    'a token in other case': bearer(`kt_${swapCase(token.slice(3))}`),
    'a token nobody made': bearer(newCredential('kt_')),
    'a session for a token': bearer(session),
    'an empty cookie': cookie(''),
    'a word for a session': cookie('secret'),
    'a session cut off': cookie(session.slice(0, -1)),
    'a session in other case': cookie(swapCase(session)),
    'a session nobody opened': cookie(newSecretToken()),
    'a session of another name': { cookie: `session=${session}`, origin: app.base },
    'a token for a session': cookie(token),
    'a wrong key beside a right token': { ...bearer(token), 'x-api-key': otherEnd(key) },
    'a wrong key beside a right session': { ...cookie(session), 'x-api-key': otherEnd(key) },
    'a wrong token beside a right session': { ...cookie(session), ...bearer(otherEnd(token)) },
  };

  const [revokedKey, expiredKey] = [await app.key(organizationId, scopes), await app.key(organizationId, scopes)];
  await storedApiKeys.change(app, revokedKey.keyId, { revoked_at: now() });
  await storedApiKeys.change(app, expiredKey.keyId, { expires_at: ago(1, 'second') });
  const [deletedToken, expiredToken] = [
    await bearerToken(em, organizationId, owner),
    await bearerToken(em, organizationId, owner),
  ];
  await storedBearerTokens.remove(app, deletedToken.id);
  await storedBearerTokens.change(app, expiredToken.id, { expires_at: ago(1, 'second') });
  const [endedSession, expiredSession] = [await sessionHeaders(em, owner, app.base), await sessionHeaders(em, owner, app.base)];
  await storedSessions.remove(app, endedSession.sessionId);
  await storedSessions.change(app, expiredSession.sessionId, { expires_at: ago(1, 'second') });
  const { userId: formerMember } = await person(em, organizationId);
  const formerMemberToken = await bearerToken(em, organizationId, formerMember);
  await storedMemberships.remove(app, { user_id: formerMember });
  ended = {
    'a revoked key': { 'x-api-key': revokedKey.key },
    'an expired key': { 'x-api-key': expiredKey.key },
    'a deleted token': deletedToken.headers,
    'an expired token': expiredToken.headers,
    'a token of one who is a member no more': formerMemberToken.headers,
    'a session logged out of': endedSession.headers,
    'an expired session': expiredSession.headers,
  };

  homeless = (await sessionHeaders(em, (await person(em)).userId, app.base)).headers;

  await app.web.deps.authenticate.settled();
});

/** By the name of each credential what `see` makes of the reply. Nothing is stored by any of them. */
async function refusedAll<Seen>(
  endpoint: Definition,
  credentials: Credentials,
  see: (reply: Reply) => Seen,
): Promise<Record<string, Seen>> {
  const before = isDeep ? await storedState(app) : undefined;
  const seen = await Promise.all(
    Object.entries(credentials).map(async ([name, headers]) => [name, see(await askForOwned(endpoint, headers))] as const),
  );
  if (isDeep) expect(await storedState(app)).toBe(before);
  return Object.fromEntries(seen);
}

/** The same of all refusals of a part together; its credentials exist before it starts. */
function storesNothing(prepare: () => Promise<unknown> = async () => undefined) {
  let before: string;
  beforeAll(async () => {
    await prepare();
    before = await stateAtRest(app);
  });
  afterAll(async () => expect(await storedState(app)).toBe(before));
}
const each = <Value>(credentials: Credentials, value: Value) =>
  Object.fromEntries(Object.keys(credentials).map((name) => [name, value]));

const codeOf = ({ body }: Reply): string => body.error?.code ?? body.code ?? body.title;
/** Refused before its handler was asked: what a handler itself refuses names no scope as lacking. */
const isKeptOut = ({ status, text }: Reply) =>
  status === 401 ||
  (status === 403 && /lacks the scope|session_required|origin_not_allowed|No organization is active/.test(text));

test('there is something to walk', () => {
  expect(guarded.length).toBeGreaterThan(30);
  for (const walked of [scoped, personal]) expect(walked.length).toBeGreaterThan(5);
});

/** Nothing asks for a credential at these: one more is a decision, and stands here. */
test('what is open to everybody', () => {
  const open = definitions.filter(({ scope }) => scope === 'public').map(({ operationId }) => operationId);
  expect(open.filter((name) => !name.startsWith('provider-webhooks.'))).toEqual([
    // The token of one order's page is the credential.
    'checkout.get',
    'checkout.slots',
    'checkout.reschedule',
    'checkout.cancel',
    // Signed, and for a day at most.
    'media.links.get',
    // The state that a consent began with is the credential, once.
    'connections.oauth.callback',
    'auth.login',
    'auth.password-reset.request',
    'auth.password-reset.confirm',
    'invitations.look-up',
    'invitations.accept',
  ]);
});

describe('a credential that is missing, broken or has ended: 401', () => {
  const challenged = ({ status, headers }: Reply) => {
    const challenge = headers.get('www-authenticate') ?? '';
    return [status, challenge.includes('ApiKey realm='), challenge.includes('Bearer realm=')];
  };

  storesNothing();

  test.each(guarded)('%s: broken', async (_name, endpoint, index) => {
    const few = someOf(broken, 3, index);
    expect(await refusedAll(endpoint, few, challenged)).toEqual(each(few, [401, true, true]));
  });

  test.each(sampleRows(guarded, 35))('%s: ended', async (_name, endpoint, index) => {
    const few = someOf(ended, 1, index);
    expect(await refusedAll(endpoint, few, challenged)).toEqual(each(few, [401, true, true]));
  });
});

/** Every kind of credential that lacks what an endpoint needs. */
const lackingFor = (endpoint: Definition): (() => Promise<Credentials>)[] => {
  const lacked = without(endpoint.scope as Scope, ...(endpoint.otherScopes ?? []));
  return [
    async () => ({ 'a key': await keyWith(lacked) }),
    async () => ({ 'a token': await tokenWith('owner', lacked) }),
    async () => ({ 'a session with no organization': homeless }),
  ];
};

describe('a credential without the scope', () => {
  storesNothing(async () => {
    for (const [, endpoint, index] of scoped) for (const make of some(lackingFor(endpoint), 1, index)) await make();
  });

  test.each(scoped)('%s: 403, which names it', async (_name, endpoint, index) => {
    const made = await Promise.all(some(lackingFor(endpoint), 1, index).map((make) => make()));
    const lacking: Credentials = Object.assign({}, ...made);
    const seen = await refusedAll(endpoint, lacking, ({ status, text }) => [status, text.includes(endpoint.scope)]);
    expect(seen).toEqual(each(lacking, [403, true]));
  });
});

describe('the right credential', () => {
  test.each(scoped)('%s: with its scope alone, and with all of them', async (_name, endpoint, index) => {
    const alone = [endpoint.scope as Scope];
    const right = [
      () => keyWith(alone),
      () => tokenWith('owner', alone),
      () => keyWith(scopes),
      () => tokenWith('owner', scopes),
      () => sessionOf('owner'),
    ];
    for (const make of some(right, 1, index)) {
      const reply = await askForNone(endpoint, await make());
      expect(isKeptOut(reply)).toBe(false);
      expect(reply.status).toBeLessThan(500);
    }
  });

  test.each(scoped)('%s: the roles that have its scope, by session and by token', async (_name, endpoint, index) => {
    const [allowed, refused] = [true, false].map((has) =>
      roles.filter((role) => scopesOf[role].has(endpoint.scope as Scope) === has),
    ) as [Role[], Role[]];
    // Two of them by default, whichever they are: each role is let in and refused many times.
    for (const role of isDeep ? [...allowed, ...refused] : some(index % 2 === 0 ? allowed : refused, 1, index)) {
      for (const make of some([() => sessionOf(role), () => tokenWith(role, scopes)], 1, index)) {
        const reply = await askForNone(endpoint, await make());
        const isAllowed = allowed.includes(role);
        expect({ role, isKeptOut: isKeptOut(reply) }).toEqual({ role, isKeptOut: !isAllowed });
        expect({ role, isForbidden: reply.status === 403 }).toEqual({ role, isForbidden: !isAllowed });
        if (!isAllowed) expect(reply.text).toContain(endpoint.scope);
      }
    }
  });
});

describe('what only a person may do', () => {
  test.each(personal)('%s: not with a key, and with a token only where no session is needed', async (_name, endpoint) => {
    const programs: Credentials = { 'a key': await keyWith(scopes) };
    if (endpoint.scope === 'session') programs['a token'] = await tokenWith('owner', scopes);
    const seen = await refusedAll(endpoint, programs, (reply) => [reply.status, codeOf(reply)]);
    expect(seen).toEqual(each(programs, [403, 'session_required']));
  });

  test.each(personal)('%s: whatever the role', async (_name, endpoint) => {
    for (const role of roles) {
      // One of them ends the session.
      const people = [await newSessionOf(role)];
      if (endpoint.scope === 'user') people.push(await tokenWith(role, ['messages:read']));
      if (endpoint.scope === 'account') people.push(await tokenWith(role, scopes));
      for (const headers of people) {
        const reply = await askForNone(endpoint, headers);
        expect([role, isKeptOut(reply)]).toEqual([role, false]);
        expect(reply.status).toBeLessThan(500);
      }
    }
  });
});

describe('what changes the account', () => {
  const accounts = personal.filter(([, { scope }]) => scope === 'account');

  test('there is something to walk', () => {
    expect(accounts.map(([name]) => name)).toEqual(expect.arrayContaining(['auth.me.update', 'auth.me.password']));
  });

  test.each(accounts)('%s: not with a token that may do less than its user', async (_name, endpoint) => {
    for (const role of roles) {
      const all = [...scopesOf[role]];
      const narrow: Credentials = { 'one scope': await tokenWith(role, ['contacts:read']) };
      narrow['all but one'] = await tokenWith(role, all.slice(1));
      const seen = await refusedAll(endpoint, narrow, (reply) => [reply.status, codeOf(reply)]);
      expect([role, seen]).toEqual([role, each(narrow, [403, 'forbidden'])]);
    }
  });
});

type Described = { keys?: Record<string, Described>; items?: Described[]; matches?: { schema?: Described }[] };
const namesIn = ({ keys = {}, items = [], matches = [] }: Described): string[] => [
  ...Object.entries(keys).flatMap(([name, inner]) => [name, ...namesIn(inner)]),
  ...items.flatMap(namesIn),
  ...matches.flatMap(({ schema }) => (schema ? namesIn(schema) : [])),
];

describe('replies that show less to fewer scopes', () => {
  /** The relations to kinds that the caller may not see are left out, and the words of a run. */
  const shaped = ['relationships_summary', 'failed_step'];
  /** Nothing is linked to a new record. */
  const alike = ['crm.records.create'];

  test('an Idempotency-Key replays them to the same scopes only', () => {
    const repeated = definitions.filter(
      ({ isIdempotent, operationId, responses }) =>
        isIdempotent &&
        !alike.includes(operationId) &&
        Object.values(responses).some(
          (schema) => schema && namesIn(schema.describe() as Described).some((name) => shaped.includes(name)),
        ),
    );
    expect(repeated.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining(['automation.rules.run', 'crm.records.batch']),
    );
    expect(definitions.filter(({ isShapedByScopes }) => isShapedByScopes)).toEqual(repeated);
  });
});

describe('secrets in replies', () => {
  /**
   * Half of a pair that anybody may have, a client's own mark on what it sent, and what every reader of an order sees: the customer's link, and
   * the hash of a token.
   */
  const open = ['public_key', 'client_token', 'checkout_token', 'checkin_token_hash'];
  const isSecret = (name: string) => /secret|token|password|(^|_)(key|link|pin|cookie)s?$/.test(name) && !open.includes(name);
  const secretsOf = ({ responses }: Definition) =>
    Object.values(responses).flatMap((schema) => (schema ? namesIn(schema.describe() as Described).filter(isSecret) : []));
  const showing = definitions.filter((endpoint) => secretsOf(endpoint).length > 0);

  test('whatever shows one says so, and nothing else does', () => {
    expect(showing.map(({ operationId }) => operationId)).toEqual(
      expect.arrayContaining([
        'api-keys.create',
        'auth.tokens.create',
        'invitations.create',
        'webhooks.endpoints.create',
        'webhooks.endpoints.rotate-secret',
        'webhooks.endpoints.reveal-secret',
      ]),
    );
    expect(definitions.filter(({ holdsSecret }) => holdsSecret)).toEqual(showing);
  });

  /** An order with a time that is booked. */
  async function bookedOrder({ key }: { key: string }, organizationId: string): Promise<string> {
    const tenant = { organizationId, key } as Tenant;
    const { serviceId } = await bookable(app, tenant);
    const orderID = await orderFor(app, tenant, { status: 'confirmed' });
    expect((await book(app, tenant, orderID, { service_id: serviceId, starts_at: at(3) })).status).toBe(201);
    return orderID;
  }

  test('a reply that shows one is not replayed to another caller who repeats the Idempotency-Key', async () => {
    const asked = showing.filter(({ isIdempotent, scope }) => isIdempotent && scope !== 'session');
    expect(asked.length).toBeGreaterThan(2);
    // Its own organization: the walks above have filled the other with keys and invitations.
    const { organizationId } = await app.organization();
    const keyOf = async (granted: Scope[]) => ({ 'x-api-key': (await app.key(organizationId, granted)).key });
    for (const endpoint of asked) {
      const [first, second] = [await keyOf(scopes), await keyOf([endpoint.scope as Scope])];
      const { keyId, key } = await app.key(organizationId, [endpoint.scope as Scope]);
      const body = { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] };
      const endpointID: string | undefined = (await app.call('webhooks.endpoints.create', { key, body })).body.id;
      const uploader = await app.key(organizationId, scopes);
      const assetID: string = (await app.call('media.assets.create', { key: uploader.key, body: 'a file' })).body.id;
      const flow = {
        name: endpoint.operationId,
        category: 'other',
        flow_json: {},
        data_exchange: { url: 'https://example.com/flow' },
      };
      const flowID: string = (await app.call('flows.create', { key: uploader.key, body: flow })).body.id;
      const orderID = await bookedOrder(await app.key(organizationId, scopes), organizationId);
      const once = (headers: Headers) =>
        ask(
          endpoint,
          { ...headers, 'idempotency-key': `guessed ${endpoint.operationId}` },
          paramsOf(endpoint, (name) => ({ keyID: keyId, endpointID, assetID, flowID, orderID })[name]!),
        );
      const shown = await once(first);
      const other = await once(second);
      expect([endpoint.operationId, other.status]).toEqual([endpoint.operationId, 422]);
      expect(shown.status).toBeLessThan(300);
      expect(codeOf(other)).toBe('idempotency_mismatch');
      expect((await once(first)).body).toEqual(shown.body);
    }
  });
});

test('no credential that was sent is in the log', () => {
  const log = JSON.stringify(app.log.lines);
  const sent = [broken, ended].flatMap((some) => Object.values(some).flatMap((headers) => Object.entries(headers)));
  for (const [name, value] of sent) {
    const secret = value.split(/[ =]/).at(-1)!;
    if (name !== 'origin' && secret.length > 30) expect(log).not.toContain(secret);
  }
});
