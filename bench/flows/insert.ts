import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { Tenant } from '../tenant.ts';

/** Of the sandbox's own number. */
export const accountId = '200000000000001';

export const answerLabels = {
  day: { label: 'Which day suits you?', options: { mon: 'Monday', tue: 'Tuesday', wed: 'Wednesday' } },
  people: { label: 'How many people?', options: { '2': 'Two', '4': 'Four' } },
  note: { label: 'Anything we should know?' },
};

/** A published flow as the provider has it, with one version. Its documents are empty: neither a send nor an answer reads them. */
export async function insertFlow(
  sql: pg.Pool,
  { organizationId, channelId }: Pick<Tenant, 'organizationId' | 'channelId'>,
  { dataExchangeUrl = null }: { dataExchangeUrl?: string | null } = {},
): Promise<string> {
  const id = uuidv7();
  const apiVersion = dataExchangeUrl ? '3.0' : '';
  await sql.query(
    `insert into flows (id, organization_id, channel_id, account_id, provider_flow_id, name, category, categories, status, builder_json,
                        flow_json, json_version, data_api_version, provider_version, local_sha256, data_exchange_url)
     values ($1, $2, $3, $4, $6, $6, 'other', '{other}', 'published', '{}', '{}', '7.2', $7, 1, 'x', $5)`,
    [id, organizationId, channelId, accountId, dataExchangeUrl, `flow-${id}`, apiVersion],
  );
  await sql.query(
    `insert into flow_versions (id, organization_id, flow_id, number, builder_version, json_version, data_api_version, sha256, labels,
                                screens, why)
     values (uuidv7(), $1, $2, 1, 1, '7.2', $4, 'x', $3, '{DAY,PEOPLE}', 'create')`,
    [organizationId, id, answerLabels, apiVersion],
  );
  await sql.query('analyze flows, flow_versions');
  return id;
}
