import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { storedOrganizations } from '../../support/stored/accounts.ts';
import { exchangeRate } from '../../support/stored/crm.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp({});
const currencies = ['USD', 'EUR', 'GBP', 'JPY', 'KWD', 'XAF', 'CLF'];
/** Of one unit in USD; the last two have none. */
const rates: Record<string, string> = { EUR: '1.1', GBP: '1.25', JPY: '0.007', KWD: '3.2' };
let sales: PipelineMade;
let other: Tenant;

beforeAll(async () => {
  const { organizationId } = app.tenant;
  sales = await pipeline(app.em(), organizationId);
  other = await app.organization();
  for (const [base, rate] of Object.entries(rates)) await exchangeRate(app, organizationId, { base, rate, at: ago(1, 'day') });
});

const summary = async (query = {}, key = app.tenant.key): Promise<Body> =>
  (await app.call('crm.deals.summary', { query, key })).body;

test('1,000 deals in seven currencies, two without a rate: nothing is added across currencies', async () => {
  const made: Body[] = [];
  for (let n = 0; n < 1_000; n++)
    made.push(
      (
        await app.call('crm.deals.create', {
          body: {
            title: `Deal ${n}`,
            currency_code: currencies[n % 7],
            amount_minor: String(n * 7919),
            stage_id: Object.values(sales.stages)[n % 5],
          },
        })
      ).body,
    );
  await app.call('crm.deals.delete', { params: { dealID: made[0]!.id } });
  const { pipeline_id, stages } = await summary();
  expect([pipeline_id, stages.map(({ stage_id }: Body) => stage_id)]).toEqual([sales.id, Object.values(sales.stages)]);
  for (const stage of stages) {
    const own = made.slice(1).filter(({ stage_id }) => stage_id === stage.stage_id);
    expect(stage.count).toBe(own.length);
    const sums = currencies
      .map((currency_code) => {
        const of = own.filter((deal) => deal.currency_code === currency_code);
        const amount_minor = String(of.reduce((sum, deal) => sum + BigInt(deal.amount_minor), 0n));
        return { currency_code, minor_unit: of[0]!.minor_unit, count: of.length, amount_minor };
      })
      .sort((one, two) => (one.currency_code < two.currency_code ? -1 : 1));
    expect(stage.amounts).toEqual(sums);
    const rated = own.filter(({ amount_in_home_currency }) => amount_in_home_currency !== '');
    const cents = rated.reduce((sum, deal) => sum + BigInt(deal.amount_in_home_currency.replace('.', '')), 0n);
    const inUnits = (minor: bigint) => `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
    const weighted = (cents * BigInt(stage.probability) + 50n) / 100n;
    expect(stage.at_home).toEqual([
      { currency_code: 'USD', count: rated.length, amount: inUnits(cents), weighted_amount: inUnits(weighted) },
    ]);
    expect(stage.without_rate).toBe(own.filter((deal) => ['XAF', 'CLF'].includes(deal.currency_code)).length);
    expect(stage.without_rate).toBe(own.length - rated.length);
  }
});

test('stages of one kind only, and stages without deals', async () => {
  const { stages } = await summary({ kind: 'won' });
  expect(stages).toMatchObject([{ stage_id: sales.stages.won, kind: 'won', probability: 100 }]);
  const empty = await pipeline(app.em(), app.tenant.organizationId, { isDefault: false });
  expect((await summary({ pipeline_id: empty.id })).stages).toHaveLength(5);
  expect((await summary({ pipeline_id: empty.id })).stages[0]).toMatchObject({
    count: 0,
    amounts: [],
    at_home: [],
    without_rate: 0,
  });
});

test('after the home currency was changed there are two of them', async () => {
  const { key, organizationId } = other;
  const made = await pipeline(app.em(), organizationId);
  const create = () => app.call('crm.deals.create', { key, body: { title: 'x', amount_minor: '100' } });
  await create();
  await storedOrganizations.change(app, organizationId, { home_currency: 'EUR' });
  await create();
  const { stages } = await summary({ pipeline_id: made.id }, key);
  expect(stages[0].at_home).toEqual([
    { currency_code: 'EUR', count: 1, amount: '1.00', weighted_amount: '0.10' },
    { currency_code: 'USD', count: 1, amount: '1.00', weighted_amount: '0.10' },
  ]);
});

test('without a pipeline there is nothing to sum up; an unknown or foreign one is a 404', async () => {
  const { key } = await app.organization();
  expect(await summary({}, key)).toEqual({ pipeline_id: null, stages: [] });
  const refused = await app.call('crm.deals.summary', { key, query: { pipeline_id: sales.id } });
  expect(refused.status).toBe(404);
});
