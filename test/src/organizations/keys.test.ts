import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../../src/accounts/authenticate.ts';
import { createKey } from '../../../src/organizations/keys.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { newCredential } from '../../../src/platform/credentials.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('who it is', () => {
  const authenticate = () => createAuthenticate(house.database).key;

  test('its organization and scopes; only a hash of it is stored', async () => {
    const { id, key } = await createKey(new OwnRows(house.em(), house.organizationId), 'test', ['messages:read']);
    expect(await authenticate()(key)).toEqual({
      by: 'key',
      id,
      organizationId: house.organizationId,
      role: 'owner',
      scopes: new Set(['messages:read']),
    });
    const [row] = await house.sql<{ hash: Buffer }>('select * from api_keys where id = $1', [id]);
    expect(row!.hash).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(key.slice(3, 20));
  });

  test('nobody: one never made, one revoked, one expired', async () => {
    const ask = authenticate();
    expect(await ask(newCredential('kk_'))).toBeUndefined();
    for (const change of ['revoked_at = clock_timestamp()', `expires_at = clock_timestamp() - interval '1 ms'`]) {
      const { id, key } = await createKey(new OwnRows(house.em(), house.organizationId), 'test', scopes);
      await house.sql(`update api_keys set ${change} where id = $1`, [id]);
      expect(await ask(key)).toBeUndefined();
    }
  });

  test('a hot key is remembered for a moment only, and a wrong one never', async () => {
    const ask = authenticate();
    const { id, key } = await createKey(new OwnRows(house.em(), house.organizationId), 'test', scopes);
    const caller = await ask(key);
    await house.sql('update api_keys set revoked_at = clock_timestamp() where id = $1', [id]);
    expect(await ask(key)).toBe(caller);
    expect(await authenticate()(key)).toBeUndefined();
  });
});

test('a key needs an organization', async () => {
  const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
  await expect(createKey(new OwnRows(house.em(), nobody), 'test', scopes)).rejects.toMatchObject({ code: 'not_found' });
  expect(await createOrganization(house.em(), 'Another')).not.toBe(house.organizationId);
});
