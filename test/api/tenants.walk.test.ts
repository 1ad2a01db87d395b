import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isUuid, uuidv7 } from '../../src/platform/ids.ts';
import { anyZone } from '../../src/platform/schemas/moment.ts';
import { type Tenant, useApp } from '../support/app.ts';
import { type Definition, definitions, isOfKind, isPersonal } from '../support/contract.ts';
import { isDeep, some } from '../support/depth.ts';
import { exampleBody, paramNamesOf } from '../support/examples.ts';
import { bearerToken, person, sessionHeaders } from '../support/factories/person.ts';
import { ownedRecords } from '../support/owned.ts';
import { storedMemberships, storedSessions } from '../support/stored/accounts.ts';
import { stateAtRest, stateOf } from '../support/stored.ts';

/**
 * Another organization's owner asks for the first one's records; that a credential is needed, access.walk.test.ts shows. By default each
 * endpoint meets one kind of credential, in the deep run all that it takes.
 */
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
/** By name, so that a new endpoint with a known parameter is walked without a new line here. */
let owned: Record<string, string>;
/** Where the document's example, with the first organization's ids in it, would not get as far as a handler can. */
let bodies: Record<string, unknown>;
let stranger: Tenant;
type Headers = Record<string, string>;
/** What the stranger sends, by the kind of credential. */
let theirs: Record<string, () => Promise<Headers>>;

beforeAll(async () => {
  owned = await ownedRecords(app);
  const account = await app.account();
  const another = await app.call('contacts.create', { body: { external_source: 'shop', external_id: 'C-2' } });
  bodies = {
    'messages.send': {
      channel_id: owned.channelID,
      contact_id: owned.contactID,
      type: 'template',
      template: { name: 'hello', language: 'en_US' },
    },
    'contacts.create': { external_source: 'shop', external_id: 'C-1', name: 'Own' },
    'contacts.identities.create': { type: 'email', value: 'stolen@example.com' },
    'contacts.merge': { contact_id: another.body.data.id },
    'contacts.import': 'external_source,external_id,name\nshop,C-2,Own\n',
    'crm.deals.import': 'title\nOwn\n',
    'crm.records.import': 'name,domain\nOwn,own.example\n',
    'contacts.lookup': { identifiers: [{ type: 'contact_id', value: owned.contactID }] },
    'contacts.block': { channel_id: owned.channelID, phone: owned.phone },
    'contacts.unblock': { channel_id: owned.channelID, phone: owned.phone },
    'channels.contacts.lookup': { phone: owned.phone },
    'onboarding.subscribe-webhook': { phone_number_id: '1', progress_id: owned.progressID, waba_id: '2' },
    // Nothing else in it can be refused.
    'crm.tasks.create': { title: 'About another', targets: [{ object_kind: 'contact', object_id: owned.contactID }] },
    // Its own: what two organizations may both ask for, each for itself.
    'channels.connect': { phone_number_id: account.phoneNumberId, waba_id: account.wabaId, access_token: account.accessToken },
    'webhooks.endpoints.create': { url: 'http://127.0.0.1:9/', event_types: ['message.sent'] },
  };
  stranger = await app.organization();
  const { userId } = await person(app.em(), stranger.organizationId);
  theirs = {
    key: async () => ({ 'x-api-key': stranger.key }),
    token: async () => (await bearerToken(app.em(), stranger.organizationId, userId)).headers,
    session: async () => (await sessionHeaders(app.em(), userId, app.base)).headers,
    // Active in the stranger's organization, and a member of the first one, too.
    'session of a member of both': async () => (await sessionHeaders(app.em(), await memberOfBoth(), app.base)).headers,
    'token of a member of both': async () => (await bearerToken(app.em(), stranger.organizationId, await memberOfBoth())).headers,
  };
});

let ofBoth: string | undefined;
async function memberOfBoth(): Promise<string> {
  if (ofBoth) return ofBoth;
  const { userId } = await person(app.em(), stranger.organizationId);
  await join(userId, app.tenant.organizationId);
  ofBoth = userId;
  return userId;
}

const join = (userId: string, organizationId: string) =>
  storedMemberships.add(app, { organization_id: organizationId, user_id: userId, role: 'owner' });

const paramsOf = (endpoint: Definition): Record<string, string> =>
  Object.fromEntries(paramNamesOf(endpoint).map((name) => [name, owned[name]!]));
const bodyFor = (endpoint: Definition) =>
  bodies[endpoint.operationId] ??
  exampleBody(endpoint, { organization: app.tenant.organizationId, contact: owned.contactID, channel: owned.channelID });
const walked = definitions
  .filter(({ scope }) => scope !== 'public')
  .map((endpoint, index) => [endpoint.operationId, endpoint, index] as const);
/** Of a person rather than an organization: a member of both sees and chooses both. */
const ofPerson = ['auth.me.get', 'auth.me.update', 'auth.session.active-organization'];
const kindsFor = (endpoint: Definition) => {
  const isOfPerson = ofPerson.includes(endpoint.operationId);
  return [
    ...(isPersonal(endpoint) ? [] : ['key']),
    ...(endpoint.scope === 'session' ? [] : ['token']),
    ...(endpoint.scope === 'session' || isOfPerson ? [] : ['token of a member of both']),
    'session',
    ...(isOfPerson ? [] : ['session of a member of both']),
  ];
};
const askAs = (endpoint: Definition, headers: Headers, params: Record<string, string>) =>
  app.call(endpoint.operationId, {
    key: null,
    headers,
    params,
    ...(endpoint.query?.validate({}).error && { query: endpoint.example.query as Record<string, string> }),
    ...(endpoint.method !== 'get' && endpoint.method !== 'delete' && { body: bodyFor(endpoint) ?? {} }),
  });

const unlikeIds = [
  ...['phone', 'channel', 'cursorName', 'assetID', 'linkID', 'objectKind', 'fieldName', 'relationName', 'value'],
  ...['secretName', 'versionNumber'],
];

test('the walk knows an id for every parameter and a body where one is needed', () => {
  for (const [operationId, endpoint] of walked) {
    for (const [name, value] of Object.entries(paramsOf(endpoint)))
      expect([name, unlikeIds.includes(name) || isUuid(value)]).toEqual([name, true]);
    const needsBody = endpoint.body?.validate({}).error !== undefined;
    const body = bodyFor(endpoint);
    expect([operationId, needsBody && body === undefined]).toEqual([operationId, false]);
    if (body) expect([operationId, endpoint.body?.validate(body, { context: anyZone }).error]).toEqual([operationId, undefined]);
  }
});

/** Without an id in the path it is the stranger's own list or own new record, but for these. */
const refusals: Record<string, number> = {
  'auth.session.active-organization': 403,
  'auth.me.password': 422,
  'messages.send': 404,
  'automation.events.create': 404,
  'templates.create': 404,
  'flows.import': 404,
  'contacts.lookup': 404,
  'contacts.block': 404,
  'contacts.unblock': 404,
  'crm.tasks.create': 422,
  'onboarding.subscribe-webhook': 404,
  'commerce.orders.create': 422,
  'commerce.bookings.check-in': 404,
  // They have no shipper, and this installation no app of a calendar.
  'commerce.shipping-areas.list': 422,
  'commerce.shipping-quotes.create': 422,
  'connections.oauth.start': 422,
};

/** It names the values that fields may have, and the channel of a suppression is one of them. */
const saysWords: Record<string, string[]> = { 'automation.catalogue': ['channel'] };

/** The id in the path is the caller's to choose: it makes a record of their own under the same one. */
const underOwnId: Record<string, string> = { 'commerce.categories.put': 'categoryID', 'automation.secrets.put': 'secretName' };

describe("another organization's caller neither reads nor changes anything", () => {
  let before: string;
  beforeAll(async () => {
    await memberOfBoth();
    await stateAtRest(app);
    before = await stateOf(app, app.tenant.organizationId);
  });
  afterAll(async () => expect(await stateOf(app, app.tenant.organizationId)).toBe(before));

  test.each(walked)('%s', async (operationId, endpoint, index) => {
    for (const kind of some(kindsFor(endpoint), 1, index)) {
      const headers = await theirs[kind]!();
      const { status, text } = await askAs(endpoint, headers, paramsOf(endpoint));
      expect({ kind, status }).toEqual({ kind, status: statusFor(operationId, endpoint) ?? expect.any(Number) });
      expect(status).toBeLessThan(500);
      const chosen = owned[underOwnId[operationId] ?? ''];
      const { versionNumber: _, ...named } = owned;
      for (const word of saysWords[operationId] ?? []) delete named[word];
      for (const id of [...Object.values(named), app.tenant.organizationId]) if (id !== chosen) expect(text).not.toContain(id);
      if (isDeep) expect(await stateOf(app, app.tenant.organizationId)).toBe(before);
      if (chosen)
        for (const table of ['commerce_categories', 'automation_secrets', 'audit_log'])
          await app.rows(`delete from ${table} where organization_id = $1`, [stranger.organizationId]);
      // An id that no organization has gets the same answer.
      if (endpoint.path.includes(':') && !chosen) {
        const unknown = Object.fromEntries(paramNamesOf(endpoint).map((name) => [name, uuidv7()]));
        expect((await askAs(endpoint, headers, unknown)).status).toBe(status);
      }
    }
  });
});

/** Undefined: a success of the stranger's own. */
function statusFor(operationId: string, endpoint: Definition): number | undefined {
  if (isOfKind(endpoint)) return 422;
  // A record that does not exist is deleted already.
  if (endpoint.isMissingFine) return 204;
  if (underOwnId[operationId]) return 200;
  if (endpoint.path.includes(':')) return 404;
  return refusals[operationId];
}

describe('a person of two organizations', () => {
  test('sees and changes those of the active one only', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId, 'viewer');
    await join(userId, stranger.organizationId);
    const { sessionId, headers } = await sessionHeaders(app.em(), userId, app.base);
    const ask = async (operationId: string, body?: object) => {
      const { status, body: seen } = await app.call(operationId, { key: null, headers, body });
      return [status, seen.id ?? seen.data?.organization_id ?? seen.organization_id ?? seen.error?.code];
    };
    // The one they joined first.
    expect(await ask('organization.get')).toEqual([200, app.tenant.organizationId]);
    expect(await ask('organization.update', { name: 'Mine' })).toEqual([403, 'forbidden']);
    const switched = await ask('auth.session.active-organization', { organization_id: stranger.organizationId });
    expect(switched).toEqual([200, stranger.organizationId]);
    expect(await ask('organization.update', { name: 'Mine' })).toEqual([200, stranger.organizationId]);
    await storedMemberships.remove(app, { organization_id: stranger.organizationId, user_id: userId });
    expect(await ask('auth.me.get')).toEqual([200, undefined]);
    expect(await ask('organization.get')).toEqual([403, 'forbidden']);
    expect(await storedSessions.one(app, sessionId, ['organization_id'])).toEqual({ organization_id: null });
  });

  test("a token is theirs for one of them, and no colleague's", async () => {
    const { organizationId } = app.tenant;
    const [mine, colleague] = [await person(app.em(), organizationId), await person(app.em(), organizationId)];
    const { id, token } = await bearerToken(app.em(), organizationId, mine.userId);
    const { headers } = await sessionHeaders(app.em(), colleague.userId, app.base);
    const removed = await app.call('auth.tokens.delete', { key: null, headers, params: { tokenID: id } });
    expect(removed.status).toBe(404);
    const { body } = await app.call('auth.tokens.list', { key: null, headers });
    expect(body.items).toEqual([]);
    const still = await app.call('auth.me.get', { key: null, headers: { authorization: `Bearer ${token}` } });
    expect([still.status, still.body.data.id]).toEqual([200, mine.userId]);
  });
});

test('a key is never in the log', () => {
  expect(JSON.stringify(app.log.lines)).not.toContain(app.tenant.key);
  expect(JSON.stringify(app.log.lines)).not.toContain(stranger.key);
});
