import { fillOwner } from '../crm/dataset.ts';
import { machineFields } from '../crm/rows.ts';
import { httpPath } from '../http-path.ts';
import type { Side } from '../stage.ts';

const limit = 25;
const batchSize = 100;
const rows = 3_000;
const machines = '/v1/crm/object-types/machine/records';
const headers = ({ tenant }: Side) => ({ 'x-api-key': tenant.apiKey, 'content-type': 'application/json' });

/** The same deals and records on both sides; a second path finds them there. */
async function prepare({ sql, tenant: { organizationId } }: Side) {
  const { rowCount } = await sql.query('select 1 from object_types where organization_id = $1', [organizationId]);
  if (rowCount === 0) await fillOwner(sql, organizationId, rows);
}
const between = async ({ sql }: Side) =>
  void (await sql.query('vacuum analyze deals, records, record_values, crm_history, events'));

let number = 0;
function fields(): Record<string, unknown> {
  number += 1;
  const given = {
    ...{ serial: `N-${number}`, batch: `B-${number % 100}`, state: 'stock', city: 'Wien', email: `n${number}@example.com` },
    ...{
      price: number / 4,
      weight: number,
      is_leased: number % 2 === 0,
      bought_on: '2026-11-25',
      seen_at: '2026-11-25T10:00:00.000Z',
    },
  };
  if (machineFields.some(({ name }) => !Object.hasOwn(given, name))) throw new Error('A field of the type has no value');
  return given;
}

export const createDeal = httpPath({
  name: 'create-deal',
  what: 'POST /v1/crm/deals',
  status: 201,
  prepare,
  between,
  request(side) {
    number += 1;
    const deal = { title: `Renewal ${number}`, amount_minor: '125000', currency_code: 'USD', custom_fields: { tier: 'gold' } };
    return { method: 'POST', path: '/v1/crm/deals', headers: headers(side), body: JSON.stringify(deal) };
  },
});

export const createRecord = httpPath({
  name: 'create-record',
  what: 'POST a record with 10 indexed fields',
  status: 201,
  prepare,
  between,
  request: (side) => ({ method: 'POST', path: machines, headers: headers(side), body: JSON.stringify({ fields: fields() }) }),
});

export const batchOfRecords = httpPath({
  name: 'batch-records',
  what: `POST a batch of ${batchSize} such records`,
  status: 200,
  prepare,
  between,
  request(side) {
    const operations = Array.from({ length: batchSize }, () => ({ operation: 'create', fields: fields() }));
    return { method: 'POST', path: `${machines}/batch`, headers: headers(side), body: JSON.stringify({ operations }) };
  },
});

const list = (name: string, path: string) =>
  httpPath({
    name,
    what: `GET ${path}, a page of ${limit}`,
    status: 200,
    prepare,
    request: (side) => ({ method: 'GET', path: `${path}?limit=${limit}`, headers: headers(side) }),
  });
export const listDeals = list('list-deals', '/v1/crm/deals');
export const listRecords = list('list-records', machines);
