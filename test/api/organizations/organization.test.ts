import { beforeAll, describe, expect, test } from '@jest/globals';
import { isTimeZone } from '../../../src/platform/time/zones.ts';
import { actsOf } from '../../support/acts.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { storedOrganizations } from '../../support/stored/accounts.ts';

const app = useApp();
let owner: Person;
beforeAll(async () => {
  owner = await person(app.em(), app.tenant.organizationId);
});

const rename = (body: object, headers?: Record<string, string>) =>
  app.call('organization.update', { body, ...(headers && { key: null, headers }) });
const nameNow = async () => (await storedOrganizations.one(app, app.tenant.organizationId)).name;

/** Who may call, how, and as whom the audit log shall know them. */
const callers = {
  key: async () => ({ headers: { 'x-api-key': app.tenant.key }, actor: `key:${app.tenant.keyId}` }),
  token: async () => ({
    headers: (await bearerToken(app.em(), app.tenant.organizationId, owner.userId)).headers,
    actor: `user:${owner.userId}`,
  }),
  session: async () => ({
    headers: (await sessionHeaders(app.em(), owner.userId, app.base)).headers,
    actor: `user:${owner.userId}`,
  }),
};

test.each(Object.entries(callers))('by %s: read, renamed, with a row in the audit log', async (by, caller) => {
  const { headers, actor } = await caller();
  const before = await app.call('organization.get', { key: null, headers });
  expect([before.status, before.body.id]).toEqual([200, app.tenant.organizationId]);
  const reply = await rename({ name: `  By ${by}\t` }, headers);
  expect([reply.status, reply.body]).toEqual([200, { ...before.body, name: `By ${by}`, updated_at: expect.any(String) }]);
  expect(Date.parse(reply.body.updated_at)).toBeGreaterThan(Date.parse(before.body.updated_at));
  expect((await app.call('organization.get', { key: null, headers })).body).toEqual(reply.body);
  expect(await actsOf(app, reply)).toEqual([
    {
      organization_id: app.tenant.organizationId,
      actor,
      action: 'organization.update',
      subject: `organization:${app.tenant.organizationId}`,
      address: expect.stringContaining('127.0.0.1'),
      details: { changed: ['name'] },
    },
  ]);
});

describe('a name that is refused', () => {
  test.each([
    ['empty', { name: '' }, 'string.empty'],
    ['blank', { name: ' \n ' }, 'string.empty'],
    ['too long', { name: 'x'.repeat(201) }, 'string.max'],
    ['no string', { name: 7 }, 'string.base'],
    ['null', { name: null }, 'string.base'],
  ])('%s', async (_what, body, code) => {
    const before = await nameNow();
    const reply = await rename(body);
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'name', location: 'body', code })]);
    expect([await nameNow(), await actsOf(app, reply)]).toEqual([before, []]);
  });

  test('with a property nobody knows', async () => {
    const reply = await rename({ name: 'Fine', owner: 'me' });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field: 'owner', code: 'object.unknown' })]);
  });

  test('with a NUL', async () => {
    expect((await rename({ name: 'a\u0000b' })).status).toBe(422);
  });
});

test('200 characters of any script pass', async () => {
  const name = '書'.repeat(200);
  expect((await rename({ name })).body.name).toBe(name);
});

test('an agent reads it and does not rename it', async () => {
  const agent = await person(app.em(), app.tenant.organizationId, 'agent');
  const { headers } = await sessionHeaders(app.em(), agent.userId, app.base);
  expect((await app.call('organization.get', { key: null, headers })).status).toBe(200);
  const before = await nameNow();
  const reply = await rename({ name: 'Mine' }, headers);
  expect([reply.status, reply.body.error.message]).toEqual([403, 'Your role (agent) lacks the scope members:write']);
  expect([await nameNow(), await actsOf(app, reply)]).toEqual([before, []]);
});

test('a key changes the organization it belongs to and no other', async () => {
  const other = await app.organization();
  const reply = await app.call('organization.update', { key: other.key, body: { name: 'The other one' } });
  expect(reply.body.id).toBe(other.organizationId);
  expect(await nameNow()).not.toBe('The other one');
});

describe('time zone and currencies', () => {
  const settings = async () => {
    const { timezone, home_currency, display_currency } = (await app.call('organization.get')).body;
    return { timezone, home_currency, display_currency };
  };

  test('a new organization is in UTC and counts in USD', async () => {
    const { key } = await app.organization();
    const { body } = await app.call('organization.get', { key });
    expect(body).toMatchObject({ timezone: 'UTC', home_currency: 'USD', display_currency: null });
  });

  test('each changes alone, and a null takes the display currency away', async () => {
    const { name } = (await app.call('organization.get')).body;
    await rename({ timezone: 'America/Argentina/Buenos_Aires' });
    await rename({ home_currency: 'EUR' });
    const reply = await rename({ display_currency: 'JPY' });
    const all = { timezone: 'America/Argentina/Buenos_Aires', home_currency: 'EUR', display_currency: 'JPY' };
    expect(reply.body).toMatchObject({ name, ...all });
    expect(await settings()).toEqual(all);
    expect((await actsOf(app, reply))[0]).toMatchObject({ details: { changed: ['display_currency'] } });
    await rename({ display_currency: null });
    expect(await settings()).toEqual({ ...all, display_currency: null });
  });

  test.each([
    ['timezone', 'Mars/Olympus', 'timezone.unknown'],
    ['timezone', '+01:00', 'timezone.unknown'],
    ['timezone', '', 'string.empty'],
    ['timezone', null, 'string.base'],
    ['home_currency', 'usd', 'string.pattern.base'],
    ['home_currency', 'XXX', 'currency.unknown'],
    ['home_currency', 'BTC', 'currency.unknown'],
    ['home_currency', null, 'string.base'],
    ['display_currency', 'XAU', 'currency.unknown'],
    ['display_currency', 978, 'string.base'],
  ])('%s %j is refused and changes nothing', async (field, value, code) => {
    const before = await settings();
    const reply = await rename({ [field]: value });
    expect(reply.status).toBe(422);
    expect(reply.body.error.details).toEqual([expect.objectContaining({ field, location: 'body', code })]);
    expect(await settings()).toEqual(before);
  });

  test('a new home currency has its rates fetched at once, the same one does not', async () => {
    const dueAt = async () => (await storedOrganizations.one(app, app.tenant.organizationId)).rates_due_at;
    await rename({ home_currency: 'CHF' });
    const due = await dueAt();
    await rename({ home_currency: 'CHF', name: 'Alps' });
    expect(await dueAt()).toEqual(due);
    await rename({ home_currency: 'NOK' });
    expect(await dueAt()).not.toEqual(due);
  });

  test('nothing to change is refused', async () => {
    expect((await rename({})).status).toBe(422);
  });

  test('the database knows each zone that is accepted', async () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'Etc/GMT+5', 'Asia/Kolkata'].filter(isTimeZone);
    expect(zones.length).toBeGreaterThan(300);
    const [row] = await app.rows(`select count(clock_timestamp() at time zone z)::int as known from unnest($1::text[]) z`, [
      zones,
    ]);
    expect(row).toEqual({ known: zones.length });
  });
});
