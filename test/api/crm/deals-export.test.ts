import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { type Body, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { type PipelineMade, pipeline } from '../../support/factories/pipeline.ts';
import { listedActs } from '../../support/listed-acts.ts';

const app = useApp({});
let sales: PipelineMade;
let made: Body[];

const create = async (body: object): Promise<Body> => (await app.call('crm.deals.create', { body })).body;
const exported = (query: Record<string, string | boolean> = {}, key?: string) =>
  app.call('crm.deals.export', { query, ...(key && { key }) });
const rowsOf = (text: string): Body[] => parse(text, { columns: true });
const titles = async (query: Record<string, string | boolean>) => rowsOf((await exported(query)).text).map(({ title }) => title);

beforeAll(async () => {
  sales = await pipeline(app.em(), app.tenant.organizationId);
  made = [
    await create({ title: 'Plain', amount_minor: '100' }),
    await create({ title: '=HYPERLINK("http://x")', stage_id: sales.stages.second, amount_minor: '9223372036854775807' }),
    await create({ title: 'Lines\r\n"and" ünïcode, commas', custom_fields: { tier: 'gold' }, metadata: { a: [1] } }),
    await create({ title: 'Binned' }),
  ];
  await app.call('crm.deals.delete', { params: { dealID: made[3]!.id } });
});

test('has all deals but those in the bin, oldest first, each field as the API shows it', async () => {
  const { status, headers, text } = await exported();
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="deals-\d{4}-\d\d-\d\d\.csv"$/);
  const rows = rowsOf(text);
  expect(rows.map(({ id }) => id)).toEqual(made.slice(0, 3).map(({ id }) => id));
  const [plain, large, custom] = rows;
  expect(plain).toMatchObject({ title: 'Plain', status: 'open', amount_minor: '100', created_at: made[0]!.created_at });
  expect(large).toMatchObject({ amount_minor: '9223372036854775807', stage_id: sales.stages.second });
  expect(custom).toMatchObject({
    title: 'Lines\r\n"and" ünïcode, commas',
    custom_fields: '{"tier":"gold"}',
    metadata: '{"a":[1]}',
  });
});

test('a title that a spreadsheet would compute has a quote before it, unless it is raw', async () => {
  expect((await titles({}))[1]).toBe(`'=HYPERLINK("http://x")`);
  expect((await titles({ raw: true }))[1]).toBe('=HYPERLINK("http://x")');
});

test('has what the list gives for the same search, filters and order', async () => {
  expect(await titles({ search: 'plain' })).toEqual(['Plain']);
  expect(await titles({ stage_id: sales.stages.second, raw: true })).toEqual(['=HYPERLINK("http://x")']);
  const filters = JSON.stringify([{ field: 'amount_minor', operator: 'lt', value: 200 }]);
  expect(await titles({ filters, sort: '-created_at' })).toEqual(['Lines\r\n"and" ünïcode, commas', 'Plain']);
  expect((await exported({ filters: 'x' })).status).toBe(400);
  expect((await exported({ sort: 'position' })).status).toBe(422);
});

test('names the contacts of a deal, the primary one first', async () => {
  const { key, organizationId } = await app.organization();
  await pipeline(app.em(), organizationId);
  const [one, two] = [(await contact(app.em(), organizationId)).id, (await contact(app.em(), organizationId)).id];
  const contacts = [{ contact_id: one }, { contact_id: two, is_primary: true }];
  const deal = await app.call('crm.deals.create', { key, body: { title: 'Linked', contacts } });
  expect(deal.status).toBe(201);
  expect(rowsOf((await exported({}, key)).text)).toMatchObject([{ primary_contact_id: two, contact_ids: `${two} ${one}` }]);
});

test('of more than a page is whole, in order, and of this organization alone', async () => {
  const { key, organizationId } = await app.organization();
  const { id: pipelineId, stages } = await pipeline(app.em(), organizationId);
  const { id } = (await app.call('crm.deals.create', { key, body: { title: 'Deal' } })).body;
  const columns = (
    await app.rows(
      `select string_agg(quote_ident(attname), ', ') as list
       from pg_attribute
      where attrelid = 'deals'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname not in ('id', 'title', 'position')`,
    )
  )[0]!.list;
  await app.rows(
    `insert into deals (id, title, position, ${columns})
     select uuidv7(), 'Deal ' || n, 1000 + n, ${columns} from deals, generate_series(1, 1200) n where id = $1`,
    [id],
  );
  expect([pipelineId, stages.second].every(Boolean)).toBe(true);
  const rows = rowsOf((await exported({}, key)).text);
  expect(new Set(rows.map((row) => row.id)).size).toBe(1_201);
  expect(rowsOf((await exported()).text)).toHaveLength(3);
});

test('is in the audit log', async () => {
  const { key, organizationId } = await app.organization();
  await exported({}, key);
  expect(await listedActs(app, { action: 'crm.deals.export' }, { key, columns: ['subject'] })).toEqual([
    { subject: `organization:${organizationId}` },
  ]);
});
