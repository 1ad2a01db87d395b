import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../../src/accounts/authenticate.ts';
import { createKey, revokeKey } from '../../../src/organizations/keys.ts';
import { newCredential, newSecretToken } from '../../../src/platform/credentials.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { query } from '../../../src/platform/database/query.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { BearerToken, Session } from '../../../src/users/user.entity.ts';
import { useApp } from '../../support/app.ts';
import { bearerToken, type Person, person, sessionHeaders } from '../../support/factories/person.ts';
import { later, stopClock } from '../../support/later.ts';
import { inMs as databaseIn, databaseNowMs, dayMs, msOf } from '../../support/rules/clock.ts';
import { removeMember, setKey, setRole, storedKey } from '../../support/rules/people.ts';

const app = useApp();
let ada: Person;
beforeAll(async () => {
  ada = await person(app.em(), app.tenant.organizationId, 'admin');
});

/** Another process: its own cache over the same database, and the statements it runs. `between` happens while one is under way. */
function anotherProcess(between?: () => Promise<unknown>) {
  const statements: string[] = [];
  const { database } = app.web.deps;
  const pool = {
    async query(text: string, params: unknown[]) {
      statements.push(text);
      const result = await database.pool.query(text, params);
      if (/^select/.test(text)) await between?.();
      return result;
    },
  };
  const authenticate = createAuthenticate({ ...database, pool } as unknown as Database);
  return { ...authenticate, statements, reads: () => statements.filter((text) => text.startsWith('select')).length };
}
const newKey = (expiresAt?: Date) =>
  createKey(new OwnRows(app.em(), app.tenant.organizationId), 'test', ['messages:read'], expiresAt);
const inMs = (ms: number) => new Date(Date.now() + ms);

describe('a hot credential', () => {
  test('costs no query, key and token alike', async () => {
    const process = anotherProcess();
    const [{ key }, { token }] = [await newKey(), await bearerToken(app.em(), app.tenant.organizationId, ada.userId)];
    const first = [await process.key(key), await process.token(token)];
    expect(first.map((caller) => caller?.by)).toEqual(['key', 'token']);
    await process.settled();
    const before = process.statements.length;
    for (let n = 0; n < 50; n += 1) expect([await process.key(key), await process.token(token)]).toEqual(first);
    expect(process.statements.length).toBe(before);
    await later(5_001, async () => process.key(key));
    expect(process.statements.length).toBe(before + 1);
  });

  test('notes its use once a minute', async () => {
    const process = anotherProcess();
    const { id, key } = await newKey();
    const used = async () => (await storedKey(app.em(), id)).last_used_at;
    expect(await used()).toBeNull();
    await process.key(key);
    await process.settled();
    const first = await used();
    expect(first).not.toBeNull();
    await later(6_000, async () => process.key(key));
    await process.settled();
    expect(await used()).toEqual(first);
    expect(process.statements.filter((text) => text.startsWith('update'))).toHaveLength(1);
    await setKey(app.em(), id, { last_used_at: databaseIn(-61_000) });
    await Promise.all([later(12_000, async () => process.key(key)), later(12_000, async () => anotherProcess().key(key))]);
    await process.settled();
    expect(msOf((await used())!)).toBeGreaterThan(msOf(first!));
  });

  test('and one that cannot note it is served nevertheless', async () => {
    const { database } = app.web.deps;
    const { key } = await newKey();
    const query = async (text: string, params: unknown[]) => {
      if (text.startsWith('update')) throw new Error('a read-only server');
      return database.pool.query(text, params);
    };
    const process = createAuthenticate({ ...database, pool: { query } } as unknown as Database);
    expect(await process.key(key)).toMatchObject({ by: 'key' });
    await process.settled();
  });
});

describe('nobody is', () => {
  test('what has another shape: no query', async () => {
    const process = anotherProcess();
    const { token } = await sessionHeaders(app.em(), ada.userId, app.base);
    for (const text of [
      '',
      'kk_',
      app.tenant.key.slice(0, -1),
      `${app.tenant.key}x`,
      `kt_${app.tenant.key.slice(3)}`,
      token,
      "' or 1=1",
    ]) {
      if (text !== `kt_${app.tenant.key.slice(3)}`) expect(await process.token(text)).toBeUndefined();
      expect(await process.key(text)).toBeUndefined();
    }
    for (const text of ['', app.tenant.key, `${token}=`, token.slice(1)]) expect(await process.session(text)).toBeUndefined();
    expect(process.statements).toEqual([]);
  });

  test("a key's text as a token, a token's as a key, and one that nobody has", async () => {
    const { token } = await bearerToken(app.em(), app.tenant.organizationId, ada.userId);
    const process = anotherProcess();
    expect(await process.token(`kt_${app.tenant.key.slice(3)}`)).toBeUndefined();
    expect(await process.key(`kk_${token.slice(3)}`)).toBeUndefined();
    expect(await process.key(newCredential('kk_'))).toBeUndefined();
    expect(await process.session(newSecretToken())).toBeUndefined();
  });

  test('an expired one, also when it expires while it is cached', async () => {
    const process = anotherProcess();
    const [soon, past] = [await newKey(inMs(4_500)), await newKey(inMs(4_500))];
    await setKey(app.em(), past.id, { expires_at: databaseIn(-1) });
    expect(await process.key(past.key)).toBeUndefined();
    expect(await process.key(soon.key)).toMatchObject({ by: 'key' });
    await setKey(app.em(), soon.id, { expires_at: databaseIn(0) });
    // The clock is past its end, and its five seconds are not over.
    expect(await later(4_501, async () => process.key(soon.key))).toBeUndefined();
  });
});

describe('revoking', () => {
  test('a key: here at once, in another process within 5 seconds', async () => {
    const [here, there] = [anotherProcess(), anotherProcess()];
    const { id, key } = await newKey();
    const clock = stopClock();
    for (const process of [here, there]) expect(await process.key(key)).toMatchObject({ id });
    await revokeKey(new OwnRows(app.em(), app.tenant.organizationId), id);
    here.forget(id);
    expect(await here.key(key)).toBeUndefined();
    clock.moveOn(4_900);
    expect(await there.key(key)).toMatchObject({ id });
    clock.moveOn(100);
    expect(await there.key(key)).toBeUndefined();
    clock.goOn();
  });

  test('a key that is being looked up just then is not remembered', async () => {
    const { id, key } = await newKey();
    const process = anotherProcess(async () => {
      await revokeKey(new OwnRows(app.em(), app.tenant.organizationId), id);
      process.forget(id);
    });
    expect(await process.key(key)).toMatchObject({ id });
    expect(await process.key(key)).toBeUndefined();
  });

  test('a token by its id or its user, and nobody else by it', async () => {
    const process = anotherProcess();
    const bob = await person(app.em(), app.tenant.organizationId);
    const make = (who: Person) => bearerToken(app.em(), app.tenant.organizationId, who.userId);
    const [one, two, others] = [await make(ada), await make(ada), await make(bob)];
    for (const { token } of [one, two, others]) expect(await process.token(token)).toBeDefined();
    await app.em().nativeDelete(BearerToken, { id: { $in: [one.id, two.id, others.id] } });
    process.forget(one.id);
    expect(await process.token(one.token)).toBeUndefined();
    expect(await process.token(two.token)).toBeDefined();
    process.forget(ada.userId);
    expect(await process.token(two.token)).toBeUndefined();
    expect(await process.token(others.token)).toBeDefined();
  });

  test('a lower role takes from a token at once where it is not cached', async () => {
    const carol = await person(app.em(), app.tenant.organizationId, 'admin');
    const { token } = await bearerToken(app.em(), app.tenant.organizationId, carol.userId, ['messages:write', 'api_keys:write']);
    const here = anotherProcess();
    const scopes = async (process = anotherProcess()) => [...((await process.token(token))?.scopes ?? ['gone'])];
    expect(await scopes(here)).toEqual(['messages:write', 'api_keys:write']);
    await setRole(app.em(), carol.userId, 'agent');
    expect(await scopes()).toEqual(['messages:write']);
    here.forget(carol.userId);
    expect(await scopes(here)).toEqual(['messages:write']);
    await setRole(app.em(), carol.userId, 'viewer');
    expect(await scopes()).toEqual([]);
    await removeMember(app.em(), carol.userId);
    expect(await scopes()).toEqual(['gone']);
  });
});

test('at most 10,000 are remembered, the oldest goes first', async () => {
  const process = anotherProcess();
  const all = Array.from({ length: 10_001 }, () => newCredential('kk_'));
  await query(
    app.em(),
    `insert into api_keys (id, organization_id, name, hash, scopes, last_used_at)
     select uuidv7(), $1, 'test', h, '{}', clock_timestamp() + interval '1 hour' from unnest($2::bytea[]) h`,
    [app.tenant.organizationId, all.map((key) => sha256(key))],
  );
  const clock = stopClock();
  // The oldest is sure to be the first; those that are asked for at once come in any order.
  await process.key(all[0]!);
  for (let at = 1; at < all.length; at += 500) await Promise.all(all.slice(at, at + 500).map((key) => process.key(key)));
  expect(process.reads()).toBe(10_001);
  await process.key(all.at(-1)!);
  await process.key(all[5_000]!);
  expect(process.reads()).toBe(10_001);
  await process.key(all[0]!);
  expect(process.reads()).toBe(10_002);
  clock.goOn();
});

test('a session is asked of the database each time, and lives as long as it is used', async () => {
  const process = anotherProcess();
  const { token, sessionId } = await sessionHeaders(app.em(), ada.userId, app.base);
  const left = async () => {
    const { expires_at } = await app.em().findOneOrFail(Session, { id: sessionId });
    return (Date.parse(expires_at) - (await databaseNowMs(app.em()))) / 1_000;
  };
  for (let n = 0; n < 3; n += 1) expect((await process.session(token))?.isExtended).toBe(false);
  expect(process.statements).toHaveLength(3);
  await app.em().nativeUpdate(Session, { id: sessionId }, { expires_at: databaseIn(13 * dayMs) });
  expect((await process.session(token))?.isExtended).toBe(true);
  expect(await left()).toBeGreaterThan(14 * 24 * 3600 - 60);
  await app.em().nativeUpdate(Session, { id: sessionId }, { expires_at: databaseIn(-1) });
  expect(await process.session(token)).toBeUndefined();
  expect(await left()).toBeLessThan(0);
});
