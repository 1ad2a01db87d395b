import type pg from 'pg';
import { scopes } from '../../src/organizations/scopes.ts';
import { newCredential } from '../../src/platform/credentials.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { sha256 } from '../../src/platform/secrets.ts';

export type Owner = { organizationId: string; apiKey: string; contacts: number };
export type Dataset = { large: Owner; small: Owner; others: number };

const firstNames =
  'Maria José Anna Łukasz Zoë Müjde Siti Budi Dewi Agus Putri Rizky Ahmad Fatima Omar Layla John Mary Peter Sheena Carlos Lucía André Chloé Björn Åsa Søren Jürgen Käthe François Nguyễn Linh Minh Priya Arjun Aisha Kofi Ama Иван Ольга Дмитрий 王芳 李伟 さくら محمد';
const lastNames =
  'García Müller Nelson Santoso Wijaya Hidayat Silva Souza Peña Núñez Smith Jones Brown Lindström Østergård Dvořák Kowalski Nowak Rossi Bianchi Dubois Lefèvre Petrov Иванов Kumar Sharma Okafor Mensah Tran Phạm Öztürk Yılmaz Haddad Rahman Abdullah';
const cities = 'Jakarta Bandung Surabaya Berlin Paris Madrid Lagos Mumbai Hanoi Warszawa Wien Oslo';
/** Two syllables and an ending make a rare surname: 8,000 of them. */
const syllables = 'ba bel car dor fen gal hor jin kas lum mor nev osk pir quil ros sven tav und vol';

/** Which of a pool a number gets: spread, and the same in every run. */
const pick = (pool: string, salt: number) => `(${pool})[1 + (hashint4extended(n, ${salt}) & 2147483647) % cardinality(${pool})]`;
const share = (salt: number) => `((hashint4extended(n, ${salt}) & 2147483647) % 100)`;

/**
 * Contacts as an import would leave them, one a second, the newest now: names with accents and of other scripts, a phone each, an email for
 * four of five, custom fields of few, some and one contact each.
 */
const insertContacts = `
  with pools as materialized (
    select string_to_array('${firstNames}', ' ') as first_names, string_to_array('${lastNames}', ' ') as last_names,
      string_to_array('${cities}', ' ') as cities, string_to_array('${syllables}', ' ') as syllables),
  owned as materialized (select o.id as organization_id, c.n, clock_timestamp() - ($2 - c.n) * interval '1 second' as at
    from unnest($1::uuid[]) as o(id), generate_series(1, $2::int) as c(n)),
  named as (
    select organization_id, n, at, ${pick('first_names', 1)} as first,
      case when ${share(2)} < 70 then ${pick('last_names', 3)}
        else initcap(${pick('syllables', 4)} || ${pick('syllables', 5)} || ${pick('syllables', 6)}) end as last,
      '+' || (array['1650', '4915', '6281', '3465'])[1 + n % 4] || lpad(((n::bigint * 7654321) % 100000000)::text, 8, '0') as phone,
      ${pick('cities', 7)} as city
    from owned, pools)
  insert into contacts (id, organization_id, name, phone_number, email, external_source, external_id, custom_fields, created_at, updated_at)
  select uuidv7(at - clock_timestamp()), organization_id, first || ' ' || last, phone,
    case when ${share(8)} < 80 then regexp_replace(fold(first || '.' || last), '[^a-z.]', '', 'g') || '.' || n || '@example.com' else '' end,
    'shop', 'C-' || n,
    jsonb_build_object('tier', case when ${share(9)} < 70 then 'basic' when ${share(9)} < 95 then 'silver' else 'gold' end,
      'city', city, 'score', ${share(10)} * 10, 'ref', 'R-' || n),
    at, at
  from named`;

const insertIdentities = `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), k.organization_id, k.id, x.type, x.source, x.value from contacts k,
    lateral (values ('phone', '', k.phone_number), ('messaging_app', '', ltrim(k.phone_number, '+')), ('email', '', lower(k.email)),
      ('external_id', k.external_source, k.external_id)) as x(type, source, value)
   where k.organization_id = any($1::uuid[]) and x.value <> ''`;

/** One organization of `contacts`, one of 10,000, and `organizations` more of 100, in one database. */
export async function seedContacts(pool: pg.Pool, contacts: number, organizations: number): Promise<Dataset> {
  const sql = await pool.connect();
  try {
    return await seed(sql, contacts, organizations);
  } finally {
    sql.release(true);
  }
}

async function seed(sql: pg.ClientBase, contacts: number, organizations: number): Promise<Dataset> {
  await sql.query(`set maintenance_work_mem = '512MB'`);
  const [large, small] = [await seedOwner(sql, 'Large', contacts), await seedOwner(sql, 'Small', 10_000)];
  const others = Array.from({ length: organizations }, () => uuidv7());
  await sql.query(`insert into organizations (id, name) select unnest($1::uuid[]), 'Other'`, [others]);
  // A GIN index is made in a fraction of the time that it takes to grow.
  const { rows: indexes } = await sql.query<{ name: string; definition: string }>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
      where i.indrelid = 'contacts'::regclass and a.amname = 'gin'`,
  );
  for (const { name } of indexes) await sql.query(`drop index ${name}`);
  for (const [ids, count] of [
    [others, 100],
    [[small.organizationId], small.contacts],
    [[large.organizationId], large.contacts],
  ]) {
    await sql.query(insertContacts, [ids, count]);
    await sql.query(insertIdentities, [ids]);
  }
  for (const { definition } of indexes) await sql.query(definition);
  await sql.query('vacuum analyze contacts, contact_identities');
  return { large, small, others: organizations };
}

async function seedOwner(sql: pg.ClientBase, name: string, contacts: number): Promise<Owner> {
  const owner = { organizationId: uuidv7(), apiKey: newCredential('kk_'), contacts };
  await sql.query('insert into organizations (id, name) values ($1, $2)', [owner.organizationId, name]);
  await sql.query('insert into api_keys (id, organization_id, name, hash, scopes) values ($1, $2, $3, $4, $5)', [
    uuidv7(),
    owner.organizationId,
    'bench',
    sha256(owner.apiKey),
    scopes,
  ]);
  return owner;
}
