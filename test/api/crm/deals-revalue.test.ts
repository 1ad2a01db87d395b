import { expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { pipeline } from '../../support/factories/pipeline.ts';
import { storedOrganizations } from '../../support/stored/accounts.ts';
import { exchangeRate, storedRevaluations } from '../../support/stored/crm.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

const rate = ({ organizationId }: Tenant, base: string, quote: string, value: string) =>
  exchangeRate(app, organizationId, { base, quote, rate: value });
const create = async ({ key }: Tenant, body: object): Promise<Body> =>
  (await app.call('crm.deals.create', { key, body: { title: 'Renewal', ...body } })).body;
const get = async ({ key }: Tenant, dealID: string): Promise<Body> =>
  (await app.call('crm.deals.get', { key, params: { dealID } })).body;

async function revalue({ key }: Tenant): Promise<Body> {
  const { status, body, headers } = await app.call('crm.deals.revalue', { key });
  expect([status, headers.get('location')]).toEqual([202, `/v1/operations/${body.operation_id}`]);
  const params = { operationID: body.operation_id };
  return waitFor('the operation', async () => {
    const operation = (await app.call('operations.get', { key, params })).body;
    return operation.status === 'succeeded' ? operation : undefined;
  });
}

test('open deals are worth what they are worth now, closed ones and those in the bin what they were', async () => {
  const tenant = await app.organization();
  await pipeline(app.em(), tenant.organizationId);
  await rate(tenant, 'EUR', 'USD', '1.1');
  const euro = { amount_minor: '1000', currency_code: 'EUR' };
  const [open, won, binned, dollar, yen] = [
    await create(tenant, euro),
    await create(tenant, { ...euro, status: 'won' }),
    await create(tenant, euro),
    await create(tenant, { amount_minor: '7' }),
    await create(tenant, { amount_minor: '500', currency_code: 'JPY' }),
  ];
  await app.call('crm.deals.delete', { key: tenant.key, params: { dealID: binned.id } });
  await rate(tenant, 'EUR', 'USD', '1.2');
  await rate(tenant, 'JPY', 'USD', '0.01');
  const operation = await revalue(tenant);
  expect(operation).toMatchObject({ name: 'crm.revalue', progress: { done: 3, changed: 2 } });
  expect(await get(tenant, open.id)).toMatchObject({ amount_in_home_currency: '12.00', revision: 2 });
  expect(await get(tenant, yen.id)).toMatchObject({ amount_in_home_currency: '5.00', revision: 2 });
  expect(await get(tenant, dollar.id)).toEqual(dollar);
  expect(await get(tenant, won.id)).toMatchObject({ amount_in_home_currency: '11.00', revision: 1 });
  const back = await app.call('crm.deals.restore', { key: tenant.key, params: { dealID: binned.id } });
  expect(back.body.amount_in_home_currency).toBe('11.00');
  const [entry] = (await app.call('crm.deals.history', { key: tenant.key, params: { dealID: open.id } })).body.items;
  expect(entry).toMatchObject({
    revision: 2,
    actor: `key:${tenant.keyId}`,
    changes: { amount_in_home_currency: { from: '11.00', to: '12.00' } },
  });
  const events = await app.events(open.id);
  expect(events.map(({ type, data }) => [type, data.changed])).toEqual([
    ['deal.created', expect.any(Array)],
    ['deal.updated', ['amount_in_home_currency']],
  ]);
});

test('done twice it changes nothing; a new home currency is one', async () => {
  const tenant = await app.organization();
  await rate(tenant, 'USD', 'EUR', '0.5');
  const deals: Body[] = [];
  for (let n = 0; n < 250; n++) deals.push(await create(tenant, { amount_minor: String(n) }));
  await storedOrganizations.change(app, tenant.organizationId, { home_currency: 'EUR' });
  expect((await revalue(tenant)).progress).toEqual({ done: 250, changed: 250 });
  expect((await revalue(tenant)).progress).toEqual({ done: 250, changed: 0 });
  expect(await get(tenant, deals[101]!.id)).toMatchObject({
    home_currency_at_write: 'EUR',
    amount_in_home_currency: '0.51',
    revision: 2,
  });
});

test('asked for at the same time it is one operation; without deals it ends at once', async () => {
  const tenant = await app.organization();
  const asked = await Promise.all([1, 2, 3].map(() => app.call('crm.deals.revalue', { key: tenant.key })));
  expect([...new Set(asked.map(({ status }) => status))]).toEqual([202]);
  await revalue(tenant);
  const open = await storedRevaluations.all(app, { organization_id: tenant.organizationId, state: 'open' });
  expect(open).toEqual([]);
});
