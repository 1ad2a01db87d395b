import { afterAll, describe, expect, test } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import pg from 'pg';
import { ContactNote } from '../../../../src/contacts/note.entity.ts';
import { entities } from '../../../../src/orm.ts';
import { tenant, times } from '../../../../src/platform/database/columns.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { sample } from '../../../support/depth.ts';
import { driftOf } from '../../../support/drift.ts';

const { url, drop } = await createTestDatabase();
const client = new pg.Client({ connectionString: url });
await client.connect();
afterAll(async () => {
  await client.end();
  await drop();
});

/** The drift of a database with all migrations and then `change`, which is undone. */
async function driftAfter(change: string, described = entities): Promise<string[]> {
  await client.query('begin');
  try {
    await client.query(change);
    return await driftOf(described, client);
  } finally {
    await client.query('rollback');
  }
}

const noChange = 'select 1';
const text = 'text not null';

test('the entities describe every table of the migrated database, and nothing else', async () => {
  expect(await driftAfter(noChange)).toEqual([]);
});

describe('a change of the database alone is found', () => {
  const changes: [string, string, string[]][] = [
    ['a column added', 'alter table contact_notes add colour text', ['colour: entity has none, database text null']],
    ['a column removed', 'alter table contact_notes drop author', [`author: entity ${text}, database has none`]],
    [
      'a column renamed',
      'alter table contact_notes rename author to writer',
      [`author: entity ${text}, database has none`, `writer: entity has none, database ${text}`],
    ],
    [
      'a column retyped',
      'alter table contact_notes alter body type varchar(99)',
      [`body: entity ${text}, database character varying(99) not null`],
    ],
    [
      'a column made nullable',
      'alter table contact_notes alter body drop not null',
      [`body: entity ${text}, database text null`],
    ],
    [
      'a default added',
      `alter table contact_notes alter body set default 'x'`,
      [`body: entity ${text}, database ${text} default 'x'::text`],
    ],
    [
      'a default removed',
      'alter table contact_notes alter created_at drop default',
      [
        'created_at: entity timestamp with time zone not null default clock_timestamp(), database timestamp with time zone not null',
      ],
    ],
  ];
  test.each(sample(changes, 2))('%s', async (_title, change, expected) => {
    expect(await driftAfter(change)).toEqual(expected.map((line) => `contact_notes.${line}`));
  });

  test('an array made one value', async () => {
    const change = 'alter table webhook_endpoints alter event_types type text using event_types::text';
    expect(await driftAfter(change)).toEqual([`webhook_endpoints.event_types: entity text[] not null, database ${text}`]);
  });

  test('a value added to the allowed ones', async () => {
    const change = `alter table jobs drop constraint jobs_state_check,
      add constraint jobs_state_check check (state in ('blocked', 'waiting', 'queued', 'failed', 'done', 'paused', 'lost'))`;
    expect(await driftAfter(change)).toEqual([expect.stringMatching(/^jobs\.state \(values\): .+ database .+'lost'/)]);
  });

  test('another primary key', async () => {
    const change = 'alter table contact_notes drop constraint contact_notes_pkey, add primary key (id, contact_id)';
    expect(await driftAfter(change)).toEqual([
      'contact_notes.contact_id, id (primary key): entity has none, database PRIMARY KEY (id, contact_id)',
      'contact_notes.id, organization_id (primary key): entity PRIMARY KEY (organization_id, id), database has none',
    ]);
  });

  test('another expression of a computed column', async () => {
    const change = 'alter table contacts alter search set expression as (searchable(name))';
    expect(await driftAfter(change)).toEqual([expect.stringMatching(/^contacts\.search: .+ database .+ searchable\(name\)$/s)]);
  });

  test('a table added', async () => {
    expect(await driftAfter('create table letters (body text)')).toEqual([
      'letters: entity has none, database table',
      'letters.body: entity has none, database text null',
    ]);
  });

  test('a table of no column added', async () => {
    expect(await driftAfter('create table letters ()')).toEqual(['letters: entity has none, database table']);
  });

  test('a table removed', async () => {
    const drift = await driftAfter('drop table contact_notes');
    expect(drift).toContain('contact_notes: entity table, database has none');
    expect(drift.filter((line) => !/^contact_notes.+ database has none$/.test(line))).toEqual([]);
  });
});

describe('a change of an entity alone is found', () => {
  const { author, body, ...others } = { ...tenant(), contact_id: p.uuid(), body: p.text(), author: p.text(), ...times() };
  const withNote = (properties: Record<string, unknown>) =>
    entities.map((entity) =>
      entity === ContactNote ? defineEntity({ name: 'ContactNote', tableName: 'contact_notes', properties }) : entity,
    ) as typeof entities;

  test('a copy that is the same is no change', async () => {
    expect(await driftAfter(noChange, withNote({ ...others, author, body }))).toEqual([]);
  });

  const changes: [string, Record<string, unknown>, unknown[]][] = [
    ['a column added', { ...others, author, body, colour: p.text() }, [`colour: entity ${text}, database has none`]],
    ['a column removed', { ...others, body }, [`author: entity has none, database ${text}`]],
    [
      'a column renamed',
      { ...others, body, writer: p.text() },
      [`author: entity has none, database ${text}`, `writer: entity ${text}, database has none`],
    ],
    ['a column retyped', { ...others, author, body: p.json() }, [`body: entity jsonb not null, database ${text}`]],
    ['a column made an array', { ...others, author, body: p.array() }, [`body: entity text[] not null, database ${text}`]],
    ['a column made nullable', { ...others, author, body: p.text().nullable() }, [`body: entity text null, database ${text}`]],
    [
      'a default added',
      { ...others, author, body: p.text().default('x') },
      [`body: entity ${text} default 'x'::text, database ${text}`],
    ],
    [
      'values that are not in the database',
      { ...others, author, body: p.enum(['long', 'short']) },
      [expect.stringMatching(/^contact_notes\.body \(values\): entity CHECK .+ database has none$/)],
    ],
  ];
  test.each(sample(changes, 2))('%s', async (_title, properties, expected) => {
    const lines = expected.map((line) => (typeof line === 'string' ? `contact_notes.${line}` : line));
    expect(await driftAfter(noChange, withNote(properties))).toEqual(lines);
  });

  test('a table without an entity', async () => {
    const drift = await driftAfter(noChange, entities.filter((entity) => entity !== ContactNote) as typeof entities);
    expect(drift).toContain('contact_notes: entity has none, database table');
  });
});
