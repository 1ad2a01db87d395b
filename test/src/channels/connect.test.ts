import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { channelAccount, readNumber } from '../../../src/channels/account.ts';
import { stopChannel } from '../../../src/channels/change.ts';
import { Channel } from '../../../src/channels/channel.entity.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import type { MessagingApp } from '../../../src/providers/messaging-app/provider.ts';
import { channel } from '../../support/factories/channel.ts';
import { type House, openHouse } from '../../support/house.ts';
import { eventsOf } from '../../support/rules/events.ts';
import { storedPool } from '../../support/rules/pools.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('reading the number', () => {
  const account = { phoneNumberId: '1', accountId: '2', accessToken: 't' };
  const read = (error: unknown) =>
    readNumber({ readNumber: () => Promise.reject(error) } as unknown as MessagingApp, account).catch((thrown) => thrown);

  test('a refusal is the client’s to read, with the code', async () => {
    expect(await read(new ProviderRefused('No', { code: '190' }))).toMatchObject({
      code: 'provider_refused',
      status: 422,
      message: 'No',
      details: [{ message: 'No', code: '190' }],
    });
  });

  test.each([new ProviderFailed('x'), new ProviderBusy('x', { retryAfterMs: 1, scope: 'channel' })])(
    '%s is a 503',
    async (error) => {
      expect(await read(error)).toMatchObject({ code: 'unavailable', status: 503, retryAfterSeconds: 5 });
    },
  );

  test('a number of another account is a refusal', async () => {
    const number = { displayPhone: '1', verifiedName: 'x' };
    const app = (isOwn: boolean) =>
      ({ readNumber: async () => number, ownsNumber: async () => isOwn }) as unknown as MessagingApp;
    expect(await readNumber(app(true), account)).toEqual(number);
    await expect(readNumber(app(false), account)).rejects.toMatchObject({
      code: 'provider_refused',
      status: 422,
      details: [{ code: 'account_mismatch', message: 'The number does not belong to this account' }],
    });
  });

  test('a fault of our own stays one', async () => {
    const bug = new TypeError('x');
    expect(await read(bug)).toBe(bug);
  });
});

const storedChannel = (id: string) => house.em().findOneOrFail(Channel, { id });

test('stopping twice is once, and a held pool stays held', async () => {
  const { id, pool } = await channel(house.em(), house.organizationId);
  const { access_token: sealedToken } = await storedChannel(id);
  const stop = (status: 'auth_error' | 'restricted') =>
    stopChannel(transactFor(house.ledger.transact, house.organizationId), { id, sealedToken }, status);
  await Promise.all([stop('auth_error'), stop('auth_error')]);
  expect((await storedChannel(id)).status).toBe('auth_error');
  expect((await storedPool(house.em(), pool)).held_until).toBe('infinity');
  await stop('restricted');
  const events = await eventsOf(house.em(), id);
  expect(events.map(({ data }) => data.status)).toEqual(['auth_error', 'restricted']);
});

test('the refusal of a token that has been replaced meanwhile stops nothing', async () => {
  const { id, pool } = await channel(house.em(), house.organizationId);
  await stopChannel(transactFor(house.ledger.transact, house.organizationId), { id, sealedToken: 'an older one' }, 'auth_error');
  expect((await storedChannel(id)).status).toBe('connected');
  expect((await storedPool(house.em(), pool)).held_until).toBeNull();
});

test('an account comes with its token opened; a missing or foreign channel has none', async () => {
  const made = await channel(house.em(), house.organizationId, { accessToken: 'the-token' });
  const own = ownRows(house.database, house.organizationId);
  expect(await channelAccount(own, made.id, testSecrets)).toEqual({
    id: made.id,
    phoneNumberId: made.phoneNumberId,
    accountId: made.accountId,
    accessToken: 'the-token',
    sealedToken: expect.any(String),
    status: 'connected',
  });
  expect(await channelAccount(own, house.organizationId, testSecrets)).toBeUndefined();
  const others = ownRows(house.database, made.id);
  expect(await channelAccount(others, made.id, testSecrets)).toBeUndefined();
});
