import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createSandbox, type Sandbox } from '../../../sandbox/sandbox.ts';
import { askDueRates, maxDue } from '../../../src/money/due-rates.ts';
import { changeOrganization, createOrganization } from '../../../src/organizations/organizations.ts';
import { createProviders } from '../../../src/providers/index.ts';
import { fetchRates } from '../../../workers/crm/fetch-rates.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { organizationRows } from '../../support/work/organizations.ts';
import { ahead, rightNow } from '../../support/work/rows.ts';

let sandbox: Sandbox;
let port: number;
let house: House;
const use = (exchangeRatesUrl?: string) => {
  house.deps.providers?.close();
  const config = { ...house.deps.config, exchangeRatesUrl, providerTimeoutMs: 5_000 };
  house.deps.providers = createProviders(config, new Registry(), house.deps.log);
};
beforeAll(async () => {
  sandbox = createSandbox();
  port = await sandbox.listen(0);
  house = await openHouse();
});
beforeEach(async () => {
  use(`http://127.0.0.1:${port}/exchange-rates.xml`);
  await house.reset('exchange_rates');
  await organizationRows.change(house, {}, { rates_due_at: ahead('1 day'), home_currency: 'USD' });
});
afterAll(async () => {
  house.deps.providers.close();
  await house.close();
  await sandbox.close();
});

const look = () => askDueRates(house.ledger.transact);
const makeDue = () => organizationRows.change(house, house.organizationId, { rates_due_at: rightNow() });
const jobs = async () => (await house.rows()).filter(({ subject_id }) => subject_id === house.organizationId);
const run = async () => {
  const [job] = await jobs();
  return house.run(fetchRates as unknown as ToyHandler, { id: job!.id });
};
const rates = () =>
  house.sql<{ base: string; quote: string; rate: string; source: string; is_yesterday: boolean }>(
    `select base, quote, trim_scale(rate)::text as rate, source,
            effective_at = (date_trunc('day', clock_timestamp() at time zone 'UTC') - interval '8 hours') at time zone 'UTC' as is_yesterday
       from exchange_rates
      where organization_id = $1
      order by base, quote`,
    [house.organizationId],
  );

test('a due organization gets one job a day, however many workers look', async () => {
  await makeDue();
  const found = await Promise.all([look(), look(), look(), look()]);
  expect(found.reduce((sum, count) => sum + count)).toBe(1);
  expect(await jobs()).toHaveLength(1);
  expect(await look()).toBe(0);
  const { rates_due_at: dueAt } = await organizationRows.one(house, house.organizationId);
  const hours = (Date.parse(dueAt!) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(19);
  expect(hours).toBeLessThan(28.1);
});

test('as long as a job is not over, no second one is made', async () => {
  await makeDue();
  await look();
  await makeDue();
  expect(await look()).toBe(0);
  expect(await jobs()).toHaveLength(1);
});

test('rates of the day come in against the home currency, and a second run adds none', async () => {
  await makeDue();
  await look();
  await run();
  const stored = await rates();
  expect(stored.map(({ base, quote }) => `${base} ${quote}`)).toEqual([
    'CHF USD',
    'EUR USD',
    'GBP USD',
    'USD BRL',
    'USD IDR',
    'USD INR',
    'USD JPY',
  ]);
  expect(stored.find(({ base }) => base === 'EUR')).toEqual({
    base: 'EUR',
    quote: 'USD',
    rate: '1.0842',
    source: 'feed',
    is_yesterday: true,
  });
  expect(await jobs()).toEqual([]);
  await makeDue();
  await look();
  await run();
  expect(await rates()).toEqual(stored);
});

test('another home currency asks for its rates at once', async () => {
  await house.ledger.transact({}, async (tx) => {
    await changeOrganization(tx.of(house.organizationId), { home_currency: 'JPY' });
  });
  expect(await look()).toBe(1);
  await run();
  expect((await rates()).every(({ base, quote }) => base === 'JPY' || quote === 'JPY')).toBe(true);
  await house.ledger.transact({}, async (tx) => {
    await changeOrganization(tx.of(house.organizationId), { home_currency: 'JPY', name: 'Same currency' });
  });
  expect(await look()).toBe(0);
});

test('a feed that is away is asked again, and a wrong address fails', async () => {
  use('http://127.0.0.1:9/exchange-rates.xml');
  await makeDue();
  await look();
  await run();
  const [job] = await jobs();
  expect([job!.state, job!.attempts]).toEqual(['queued', 1]);
  await jobRows.remove(house);
  use(`http://127.0.0.1:${port}/nowhere`);
  await makeDue();
  await look();
  await run();
  const [failed] = await jobs();
  expect(failed!.state).toBe('failed');
  expect(await rates()).toEqual([]);
});

test('many organizations are taken some at a time', async () => {
  for (let index = 0; index < maxDue + 5; index += 1) await createOrganization(house.em(), `Org ${index}`);
  expect([await look(), await look(), await look()]).toEqual([maxDue, 5, 0]);
});

test('without a feed a job that is left is over', async () => {
  await makeDue();
  await look();
  use(undefined);
  await run();
  expect([await jobs(), await rates()]).toEqual([[], []]);
});
