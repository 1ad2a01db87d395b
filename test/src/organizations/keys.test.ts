import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthenticate, createKey, createOrganization, looksLikeKey, newApiKey } from '../../../src/organizations/keys.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('a key', () => {
  test('is kk_, 32 random characters and 6 of checksum', () => {
    const keys = Array.from({ length: 200 }, newApiKey);
    for (const key of keys) {
      expect(key).toMatch(/^kk_[0-9A-Za-z]{38}$/);
      expect(looksLikeKey(key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(200);
  });

  test('with any character changed is none', () => {
    const key = newApiKey();
    for (let place = 3; place < key.length; place += 1) {
      const changed = `${key.slice(0, place)}${key[place] === 'a' ? 'b' : 'a'}${key.slice(place + 1)}`;
      expect([place, looksLikeKey(changed)]).toEqual([place, false]);
    }
    for (const other of ['', 'kk_', key.slice(1), `${key} `, `${key}0`]) expect(looksLikeKey(other)).toBe(false);
  });
});

describe('who it is', () => {
  const authenticate = () => createAuthenticate(house.database);

  test('its organization and scopes; only a hash of it is stored', async () => {
    const { id, key } = await createKey(house.em(), house.organizationId, 'test', ['messages:read']);
    expect(await authenticate()(key)).toEqual({
      organizationId: house.organizationId,
      keyId: id,
      scopes: new Set(['messages:read']),
    });
    const [row] = await house.sql<{ hash: Buffer }>('select * from api_keys where id = $1', [id]);
    expect(row!.hash).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(key.slice(3, 20));
  });

  test('nobody: one never made, one revoked, one expired', async () => {
    const ask = authenticate();
    expect(await ask(newApiKey())).toBeUndefined();
    for (const change of ['revoked_at = clock_timestamp()', `expires_at = clock_timestamp() - interval '1 ms'`]) {
      const { id, key } = await createKey(house.em(), house.organizationId, 'test', scopes);
      await house.sql(`update api_keys set ${change} where id = $1`, [id]);
      expect(await ask(key)).toBeUndefined();
    }
  });

  test('a hot key is remembered for a moment only, and a wrong one never', async () => {
    const ask = authenticate();
    const { id, key } = await createKey(house.em(), house.organizationId, 'test', scopes);
    const caller = await ask(key);
    await house.sql('update api_keys set revoked_at = clock_timestamp() where id = $1', [id]);
    expect(await ask(key)).toBe(caller);
    expect(await authenticate()(key)).toBeUndefined();
  });
});

test('a key needs an organization', async () => {
  const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
  await expect(createKey(house.em(), nobody, 'test', scopes)).rejects.toMatchObject({ code: 'not_found' });
  expect(await createOrganization(house.em(), 'Another')).not.toBe(house.organizationId);
});
