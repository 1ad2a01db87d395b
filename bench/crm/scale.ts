import type pg from 'pg';
import { Client } from 'undici';
import { companyOf } from '../../src/records/types/company.ts';
import { idsOf } from '../scale-owner.ts';
import { type Measured, measureReads, requests } from '../scale-reads.ts';
import type { Side, Stage } from '../stage.ts';
import { type Dataset, namedId, type Owner, seedCrm } from './dataset.ts';
import { type FieldsScale, fieldsScale } from './fields.ts';
import { type Asked, reads } from './reads.ts';
import { companyLinks, rareWordOf } from './rows.ts';

export type CrmScale = Dataset & { seconds: number; measured: Measured[]; walks: string[]; fields?: FieldsScale };

/** The same reads of a large and a small organization of one database, one request at a time, in turns. `only`: a part of the names. */
export async function crmScale({ kanal }: Stage, rows: number, only: string): Promise<CrmScale> {
  const startedAt = performance.now();
  const dataset = await seedCrm(kanal.sql, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`crm: ${rows} deals, tasks and records in ${seconds.toFixed(0)} s`);
  return { ...dataset, seconds, ...(await measureCrm(kanal, dataset, only)) };
}

export async function measureCrm(
  kanal: Side,
  dataset: Dataset,
  only: string,
): Promise<Omit<CrmScale, keyof Dataset | 'seconds'>> {
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  try {
    const samples = {
      large: await samplesOf(client, kanal, dataset.large),
      small: await samplesOf(client, kanal, dataset.small),
    };
    const wanted = reads.filter(({ name }) => name.includes(only));
    const found = await measureReads('crm', { kanal, client, rows: dataset.large.rows }, wanted, samples);
    const fields = only === '' ? await fieldsScale(client, kanal, dataset.large) : undefined;
    return { ...found, fields };
  } finally {
    await Promise.all([client.close(), web.process.stop()]);
  }
}

async function samplesOf(client: Client, { sql }: Side, owner: Owner): Promise<Asked[]> {
  const ids = (table: string) => idsOf(sql, table, owner, requests);
  const [dealIds, taskIds, recordIds] = [await ids('deals'), await ids('crm_tasks'), await ids('records')];
  // Those who have deals and tasks.
  const linked = async (column: string, table: string) =>
    (
      await sql.query<{ id: string }>(
        `select distinct ${column} as id from (select * from ${table} where organization_id = $1 limit 20000) t limit ${requests}`,
        [owner.organizationId],
      )
    ).rows.map(({ id }) => id);
  const conversationIds = await linked('conversation_id', 'deal_conversations');
  const contactIds = await linked('contact_id', 'task_targets');
  const companyId = await makeCompany(client, sql, owner);
  const [stageId, pipelineId] = [
    await namedId(sql, owner.organizationId, 'sales 0'),
    await namedId(sql, owner.organizationId, 'sales'),
  ];
  const { rows: words } = await sql.query<{ word: string }>(`select ${rareWordOf} as word from generate_series(1, $1::int) n`, [
    requests,
  ]);
  return Array.from({ length: requests }, (_, index) => ({
    owner,
    cursor: '',
    dealId: dealIds[index]!,
    taskId: taskIds[index]!,
    recordId: recordIds[index]!,
    conversationId: conversationIds[index]!,
    contactId: contactIds[index]!,
    companyId,
    stageId,
    pipelineId,
    rareWord: words[index]!.word,
  }));
}

async function makeCompany(client: Client, sql: pg.Pool, { organizationId, apiKey, companyContacts }: Owner): Promise<string> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: '/v1/crm/object-types/company/records',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { name: 'Analytical Engines' } }),
  });
  const reply = (await body.json()) as { id: string };
  if (statusCode !== 201) throw new Error(`crm, a company: ${statusCode} ${JSON.stringify(reply)}`);
  const { id } = reply;
  const relation = companyOf(organizationId).relations.find(({ name }) => name === 'contacts')!;
  await sql.query(companyLinks, [organizationId, id, relation.id, companyContacts]);
  await sql.query('vacuum analyze record_links');
  return id;
}
