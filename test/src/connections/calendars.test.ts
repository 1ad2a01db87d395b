import { expect, test } from '@jest/globals';
import { connectionAccount } from '../../../src/connections/account.ts';
import { calendarsOf } from '../../../src/connections/calendars.ts';
import { turnsWithin } from '../../../src/connections/turns.ts';
import { connectionPool } from '../../../src/connections/use.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { poolOf } from '../../../src/platform/ledger/pools.ts';
import { ProviderBusy } from '../../../src/providers/errors.ts';
import { useApp } from '../../support/app.ts';
import { connectCalendar } from '../../support/connections.ts';

const app = useApp();
const pages = ['first', 'second', 'third', 'fourth'];

/** Of one account: what is read of it within `maxMs`, and how often a page was read and a turn was taken. */
async function listing(maxMs: number) {
  const { id } = await connectCalendar(app);
  const { database, providers, secrets } = app.web.deps;
  const own = ownRows(database, app.tenant.organizationId);
  const account = (await connectionAccount(own, id, secrets))!;
  const count = { pages: 0, turns: 0 };
  const calendar = {
    async listCalendars(_token: string, from = pages[0]!) {
      count.pages += 1;
      const heads = { id: from, name: from, timezone: 'UTC', isPrimary: false, isWritable: true };
      return { calendars: [heads], next: pages[pages.indexOf(from) + 1] };
    },
  };
  const takeTurn = turnsWithin(database, poolOf(app.tenant.organizationId, connectionPool(id)), maxMs);
  const turn: typeof takeTurn = (...given) => {
    count.turns += 1;
    return takeTurn(...given);
  };
  const read = calendarsOf(own, account, { calendar, turn, secrets, tokens: providers.tokens, timeoutMs: 2_000 });
  return { read, count };
}

test('each page takes a turn of its own', async () => {
  const { read, count } = await listing(60_000);
  expect((await read).map(({ id }) => id)).toEqual(pages);
  expect(count.pages).toBe(4);
  expect(count.turns).toBeGreaterThanOrEqual(4);
});

test('without a turn in time the request ends, and says when to come again', async () => {
  const { read, count } = await listing(100);
  const fault = await read.catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(ProviderBusy);
  expect(fault).toMatchObject({ scope: 'channel', retryAfterMs: expect.any(Number) });
  expect(count.pages).toBeLessThan(pages.length);
});
