import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthenticate } from '../../../src/accounts/authenticate.ts';
import { createKey } from '../../../src/organizations/keys.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { newCredential } from '../../../src/platform/credentials.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';
import { type House, openHouse } from '../../support/house.ts';
import { inMs } from '../../support/rules/clock.ts';
import { setKey, storedKey } from '../../support/rules/people.ts';

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
    const row = await storedKey(house.em(), id);
    expect(row.hash).toHaveLength(32);
    expect(JSON.stringify(row)).not.toContain(key.slice(3, 20));
  });

  test('nobody: one never made, one revoked, one expired', async () => {
    const ask = authenticate();
    expect(await ask(newCredential('kk_'))).toBeUndefined();
    for (const change of [{ revoked_at: inMs(0) }, { expires_at: inMs(-1) }]) {
      const { id, key } = await createKey(new OwnRows(house.em(), house.organizationId), 'test', scopes);
      await setKey(house.em(), id, change);
      expect(await ask(key)).toBeUndefined();
    }
  });

  test('a hot key is remembered for a moment only, and a wrong one never', async () => {
    const ask = authenticate();
    const { id, key } = await createKey(new OwnRows(house.em(), house.organizationId), 'test', scopes);
    const caller = await ask(key);
    await setKey(house.em(), id, { revoked_at: inMs(0) });
    expect(await ask(key)).toBe(caller);
    expect(await authenticate()(key)).toBeUndefined();
  });
});

test('a key needs an organization', async () => {
  const nobody = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
  await expect(createKey(new OwnRows(house.em(), nobody), 'test', scopes)).rejects.toMatchObject({ code: 'not_found' });
  expect(await createOrganization(house.em(), 'Another')).not.toBe(house.organizationId);
});
