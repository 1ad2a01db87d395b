import type pg from 'pg';
import { uuidv7 } from '../../src/platform/ids.ts';
import { idOf } from '../fill-sql.ts';
import { withoutIndexes } from '../long/fill/indexes.ts';
import { insertOwner, newOwner, type ScaleOwner } from '../scale-owner.ts';
import { deals, definitions, people, records, tasks } from './rows.ts';

/** `rows`: deals, as many tasks, as many records. */
export type Owner = ScaleOwner & { rows: number; contacts: number; companyContacts: number };
export type Dataset = { large: Owner; small: Owner; others: number };

const organizations = 1_000;
/** A page more than the far one. */
const smallRows = 10_100;
const rowsOfOthers = 20;
const contactsOfOthers = 5;
const tables = [
  ...['deals', 'deal_contacts', 'deal_conversations', 'crm_tasks', 'task_targets', 'records', 'record_values', 'record_links'],
  ...['contacts', 'conversations'],
];

/** An organization with so many of each, a small one and the rest of a thousand, in one database. */
export async function seedCrm(pool: pg.Pool, rows: number): Promise<Dataset> {
  const [small, large] = [
    ownerOf(smallRows, { contacts: 10_000, companyContacts: 1_000 }),
    ownerOf(rows, { contacts: Math.max(50_000, rows / 10), companyContacts: 50_000 }),
  ];
  const others = Array.from({ length: organizations - 2 }, () => uuidv7());
  const sql = await pool.connect();
  try {
    for (const owner of [small, large]) await insertOwner(sql, owner);
    await sql.query(`insert into organizations (id, name) select id, 'Other' from unnest($1::uuid[]) id`, [others]);
    const all = [small.organizationId, large.organizationId, ...others];
    for (const statement of definitions) await sql.query(statement, [all]);
    const restore = await withoutIndexes(pool, tables, 2);
    await fill(sql, others, rowsOfOthers, contactsOfOthers);
    for (const owner of [small, large]) await fill(sql, [owner.organizationId], owner.rows, owner.contacts);
    await restore();
    await sql.query('analyze');
  } finally {
    sql.release();
  }
  return { large, small, others: others.length };
}

const ownerOf = (rows: number, sizes: Pick<Owner, 'contacts' | 'companyContacts'>): Owner => ({ ...newOwner(), rows, ...sizes });

async function fill(sql: pg.ClientBase, owners: string[], rows: number, contacts: number): Promise<void> {
  const run = async (statements: string[]) => {
    for (const statement of statements) await sql.query(statement, statement.includes('$1') ? [owners] : []);
  };
  await run(people(contacts));
  for (const kind of [deals, tasks]) {
    await run(kind(rows, contacts));
    await sql.query('drop table filled');
  }
  await run(records(rows));
  await sql.query('drop table people');
}

/** For a path beside its floor: an organization that is there gets the definitions and so many rows of each. */
export async function fillOwner(pool: pg.Pool, organizationId: string, rows: number): Promise<void> {
  const sql = await pool.connect();
  try {
    for (const statement of definitions) await sql.query(statement, [[organizationId]]);
    await fill(sql, [organizationId], rows, 1_000);
    await sql.query('vacuum analyze');
  } finally {
    sql.release();
  }
}

/** The id that `rows.ts` gave. */
export async function namedId(pool: pg.Pool, organizationId: string, name: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(`select ${idOf(name)} as id from (select $1::uuid as o) x`, [organizationId]);
  return rows[0]!.id;
}
