import express from 'express';
import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { transactions } from './transactions.ts';

const firstStage = `select s.id, s.pipeline_id, s.probability, o.home_currency as home, coalesce(o.display_currency, o.home_currency) as display
  from pipelines p join organizations o on o.id = p.organization_id
  join pipeline_stages s on s.organization_id = $1 and s.pipeline_id = p.id and s.kind = 'open'
  where p.organization_id = $1 and p.is_default order by s.position limit 1`;
const dealColumns = `id, title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency, expected_close_at,
  owner_user_id, source_conversation_id, pipeline_id, stage_id, stage_entered_at, position, closed_at, lost_reason, custom_fields, metadata,
  revision, created_at, updated_at`;
const insertDeal = `with h as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes) values ($1, 'deal', $2, 1, $9, 'key', $10))
  insert into deals (organization_id, id, title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency, pipeline_id,
    stage_id, stage_entered_at, custom_fields) values ($1, $2, $3, 'open', $4::bigint, $5, $11, $4::bigint / 100.0, $6, $7, now(), $8) returning ${dealColumns}`;
/** Events of one type and the deliveries to who listens. */
const announce = `with e as (
    insert into events (id, organization_id, type, subject_type, subject_id, data)
    select x.id, $1, $2, $3, x.subject, x.data from unnest($4::uuid[], $5::uuid[], $6::jsonb[]) as x(id, subject, data) returning id, type)
  insert into webhook_deliveries (id, organization_id, event_id, endpoint_id, state)
  select uuidv7(), $1, e.id, w.id, 'pending' from e join webhook_endpoints w on w.organization_id = $1 and e.type = any(w.event_types)`;

const definition = `select t.id as type_id, f.id, f.name, f.type, f.is_indexed from object_types t
  join object_fields f on f.organization_id = $1 and f.type_id = t.id where t.organization_id = $1 and t.kind = $2 and t.deleted_at is null`;
const recordColumns = `k.id, k.display_name, k.fields, k.custom_fields, k.metadata, k.revision, k.created_at, k.updated_at,
  (select json_agg(json_build_object('source', e.source, 'fields', e.fields, 'at', e.at) order by e.at desc, e.source)
     from record_enrichments e where e.organization_id = k.organization_id and e.record_id = k.id) as enrichments`;
const insertRecords = `with h as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes)
    select $1, 'record', x.id, 1, x.event_id, 'key', x.changes from jsonb_to_recordset($3) as x (id uuid, event_id uuid, changes jsonb))
  insert into records as k (organization_id, id, type_id, display_name, fields)
  select $1, x.id, $2, x.name, x.fields from jsonb_to_recordset($3) as x (id uuid, name text, fields jsonb) returning ${recordColumns}`;
const insertValues = `insert into record_values (organization_id, record_id, field_id, text_value, number_value, time_value)
  select $1, x.record_id, x.field_id, left(fold(x.text), 200), x.number, x.time
    from jsonb_to_recordset($2) as x (record_id uuid, field_id uuid, text text, number numeric, time timestamptz)`;

const listDeals = `select ${dealColumns},
    (select s.probability from pipeline_stages s where s.organization_id = k.organization_id and s.id = k.stage_id) as probability,
    (select coalesce(jsonb_agg(jsonb_build_object('contact_id', c.contact_id, 'role', c.role, 'is_primary', c.is_primary)), '[]')
       from deal_contacts c where c.organization_id = k.organization_id and c.deal_id = k.id) as contacts
  from deals k where k.organization_id = $1 and k.deleted_at is null order by k.created_at desc, k.id desc limit $2`;
/** The newest rate of each deal's currency, written either way round, when the deal was closed; now where it is open. */
const ratesOf = `select o.home_currency as home, coalesce(o.display_currency, o.home_currency) as display, r.rate, r.is_inverse
  from organizations o cross join unnest($2::text[], $3::timestamptz[]) with ordinality x (code, at, n)
  left join lateral (
    select * from (
      (select rate, effective_at, false as is_inverse from exchange_rates where organization_id = $1 and base = x.code
          and quote = coalesce(o.display_currency, o.home_currency) and effective_at <= coalesce(x.at, now()) order by effective_at desc limit 1)
      union all
      (select rate, effective_at, true from exchange_rates where organization_id = $1 and quote = x.code
          and base = coalesce(o.display_currency, o.home_currency) and effective_at <= coalesce(x.at, now()) order by effective_at desc limit 1)) b
     order by effective_at desc limit 1) r on true
  where o.id = $1 order by x.n`;
const listRecords = `select ${recordColumns} from records k
  where k.organization_id = $1 and k.type_id = $3 and k.deleted_at is null order by k.id desc limit $2`;

const withoutMinor = new Set(['JPY', 'KRW', 'VND']);
const digitsOf = (currency: string) => (withoutMinor.has(currency) ? 0 : 2);
const shownDeal = (row: Fields, display: string, rate: number | undefined) => {
  const own = row.currency_code as string;
  const [currency, factor] = own === display || rate === undefined ? [own, 1] : [display, rate];
  const minor = Math.round(Number(row.amount_minor) * factor * 10 ** (digitsOf(currency) - digitsOf(own)));
  const shown = { display_currency: currency, display_currency_unit: digitsOf(currency), display_currency_minor: String(minor) };
  return { ...row, minor_unit: digitsOf(own), ...shown };
};
const shownRecord = ({ enrichments, ...row }: Fields, kind: string): Fields => ({
  ...row,
  kind,
  ...(enrichments ? { enrichment_summary: { sources: enrichments } } : {}),
  relationships_summary: {},
});

type Field = { type_id: string; id: string; name: string; type: string; is_indexed: boolean };
type Fields = Record<string, unknown>;

const columnOf = (type: string) => {
  if (type === 'number' || type === 'integer' || type === 'boolean') return 'number';
  return type === 'date' || type === 'datetime' ? 'time' : 'text';
};
const valuesOf = (definitions: Field[], id: string, fields: Fields) =>
  definitions
    .filter(({ name, is_indexed }) => is_indexed && fields[name] !== undefined)
    .map(({ id: field, name, type }) => ({
      record_id: id,
      field_id: field,
      [columnOf(type)]: type === 'boolean' ? Number(fields[name]) : fields[name],
    }));
const changesOf = (fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { from: null, to: value }]));

/** Deals and records with their history, their typed index and their events, each request one transaction. */
export function crmRoutes(app: express.Express, pool: pg.Pool, organizations: Map<string | undefined, string>) {
  const inTransaction = transactions(pool);
  const machines = '/v1/crm/object-types/:kind/records';
  const definitionsOf = async (organization: string, kind: string) =>
    (await pool.query<Field>({ name: 'definition', text: definition, values: [organization, kind] })).rows;

  async function create(organization: string, definitions: Field[], kind: string, all: Fields[]) {
    const made = all.map((fields) => ({
      id: uuidv7(),
      event_id: uuidv7(),
      name: fields.serial,
      fields,
      changes: changesOf(fields),
    }));
    return inTransaction(async (client) => {
      const values = [organization, definitions[0]!.type_id, JSON.stringify(made)];
      const { rows } = await client.query({ name: 'records', text: insertRecords, values });
      const indexed = JSON.stringify(made.flatMap(({ id, fields }) => valuesOf(definitions, id, fields)));
      await client.query({ name: 'values', text: insertValues, values: [organization, indexed] });
      const data = made.map(({ id, fields }) => ({
        record_id: id,
        kind,
        organization_id: organization,
        changed: Object.keys(fields),
      }));
      const events = [organization, 'record.created', 'record', made.map((one) => one.event_id), made.map(({ id }) => id), data];
      await client.query({ name: 'announce', text: announce, values: events });
      return rows.map((row) => shownRecord(row, kind));
    });
  }

  app.post('/v1/crm/deals', express.json(), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const { title, amount_minor: amount, currency_code: currency, custom_fields: fields } = req.body;
    if (typeof title !== 'string' || !/^\d{1,19}$/.test(amount)) return void res.status(422).end();
    const { rows: stages } = await pool.query({ name: 'stage', text: firstStage, values: [organization] });
    const [id, event] = [uuidv7(), uuidv7()];
    const row = await inTransaction(async (client) => {
      const place = [stages[0].pipeline_id, stages[0].id];
      const values = [organization, id, title, amount, currency, ...place, fields, event, changesOf(req.body), stages[0].home];
      const { rows } = await client.query({ name: 'deal', text: insertDeal, values });
      const data = { deal_id: id, organization_id: organization, status: 'open', changed: Object.keys(req.body) };
      await client.query({
        name: 'announce',
        text: announce,
        values: [organization, 'deal.created', 'deal', [event], [id], [data]],
      });
      return rows[0];
    });
    res.status(201).json({ ...shownDeal(row, stages[0].display, undefined), probability: stages[0].probability, contacts: [] });
  });

  app.post(machines, express.json(), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const definitions = await definitionsOf(organization, req.params.kind!);
    if (definitions.length === 0) return void res.status(422).end();
    const [row] = await create(organization, definitions, req.params.kind!, [req.body.fields]);
    res.status(201).json(row);
  });

  app.post(`${machines}/batch`, express.json({ limit: '1mb' }), async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const definitions = await definitionsOf(organization, req.params.kind!);
    if (definitions.length === 0) return void res.status(422).end();
    const given = (req.body.operations as { fields: Fields }[]).map(({ fields }) => fields);
    const rows = await create(organization, definitions, req.params.kind!, given);
    res.json({ results: rows.map((record) => ({ status: 'created', id: record.id, record })) });
  });

  app.get('/v1/crm/deals', async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const limit = Number(req.query.limit);
    const { rows } = await pool.query({ name: 'deals', text: listDeals, values: [organization, limit + 1] });
    const { items, meta } = pageOf(rows, limit);
    const asked = [items.map((row) => row.currency_code), items.map((row) => (row.status === 'open' ? null : row.closed_at))];
    const { rows: rates } = await pool.query({ name: 'rates', text: ratesOf, values: [organization, ...asked] });
    const rateOf = ({ rate, is_inverse }: Fields) => (rate === null ? undefined : is_inverse ? 1 / Number(rate) : Number(rate));
    res.json({ items: items.map((row, index) => shownDeal(row, rates[index].display, rateOf(rates[index]))), meta });
  });

  app.get(machines, async (req, res) => {
    const organization = organizations.get(req.get('x-api-key'));
    if (!organization) return void res.status(401).end();
    const definitions = await definitionsOf(organization, req.params.kind!);
    if (definitions.length === 0) return void res.status(422).end();
    const limit = Number(req.query.limit);
    const { rows } = await pool.query({
      name: 'list',
      text: listRecords,
      values: [organization, limit + 1, definitions[0]!.type_id],
    });
    const { items, meta } = pageOf(rows, limit);
    res.json({ items: items.map((row) => shownRecord(row, req.params.kind!)), meta });
  });
}

function pageOf(rows: Fields[], limit: number) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = rows.length > limit && Buffer.from(JSON.stringify([last!.created_at, last!.id])).toString('base64url');
  return { items, meta: { has_more: rows.length > limit, limit, ...(next && { next_cursor: next }) } };
}
