import pg from 'pg';
import type { Client } from 'undici';
import type { Side } from '../stage.ts';
import { percentile } from '../statistics.ts';
import type { Owner } from './dataset.ts';
import { machineFields } from './rows.ts';

/** With the type's own eleven as many as a type may have. */
const fieldCount = 189;
/** With its own ten nearly as many as may be indexed. */
const indexedCount = 14;
const kinds = { full: 'machine', empty: 'blank' } as const;
type Which = keyof typeof kinds;
const sides: Which[] = ['full', 'empty'];
const changes = ['add', 'rename', 'remove'] as const;

export type Change = { name: (typeof changes)[number]; full: number; empty: number };
/** p50 in ms. `reads`: of a reader at the same time, none of whose statements waited a millisecond for a lock. */
export type FieldsScale = { fields: number; changes: Change[]; reads: number; longestReadMs: number };

/** Fields added, renamed and removed at the type of all records and at one without any, in turns, while somebody reads. */
export async function fieldsScale(client: Client, kanal: Side, { organizationId, apiKey }: Owner): Promise<FieldsScale> {
  const ask = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const reply = await client.request({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`crm, fields: ${method} ${path} ${reply.statusCode} ${text.slice(0, 300)}`);
  };
  const own = [...machineFields.map(({ name, type }) => ({ name, type, indexed: true })), { name: 'note', type: 'text' }];
  const options = [{ value: 'stock', label: 'stock' }];
  const fields = own.map((field) => ({ ...field, label: field.name, ...(field.type === 'select' && { options }) }));
  await ask('POST', '/v1/crm/object-types', {
    kind: kinds.empty,
    label: 'Blank',
    plural_label: 'Blanks',
    fields,
    display_field: 'serial',
  });
  const reader = await startReader(kanal, organizationId);
  const took = new Map(changes.map((name) => [name, { full: [] as number[], empty: [] as number[] }]));
  const run = async (name: Change['name'], work: (path: string, number: number) => Promise<void>) => {
    for (let number = 0; number < fieldCount; number += 1)
      for (const side of number % 2 === 0 ? sides : sides.toReversed()) {
        const startedAt = performance.now();
        await work(`/v1/crm/object-types/${kinds[side]}/fields`, number);
        took.get(name)![side].push(performance.now() - startedAt);
      }
  };
  try {
    await run('add', (path, number) =>
      ask('POST', path, { name: `more_${number}`, label: 'More', type: 'text', indexed: number < indexedCount }),
    );
    await run('rename', (path, number) => ask('PATCH', `${path}/more_${number}`, { label: `Other ${number}` }));
    await run('remove', (path, number) => ask('DELETE', `${path}/more_${number}`));
  } finally {
    await reader.stop();
  }
  const found = changes.map((name) => {
    const { full, empty } = took.get(name)!;
    return { name, full: percentile(full, 0.5), empty: percentile(empty, 0.5) };
  });
  for (const { name, full, empty } of found) console.error(`crm, ${name} a field: ${empty.toFixed(1)} ms, ${full.toFixed(1)} ms`);
  return { fields: fieldCount, changes: found, ...reader.found };
}

/** What a list reads of the type and of its records; to wait for a lock is an error. */
async function startReader({ env }: Side, organizationId: string) {
  const sql = new pg.Client({ connectionString: env.DATABASE_URL, options: '-c lock_timeout=1 -c enable_seqscan=off' });
  await sql.connect();
  const found = { reads: 0, longestReadMs: 0 };
  let isStopped = false;
  const text = `
    select r.id, r.fields, f.name
      from object_types t
      join object_fields f on f.organization_id = $1 and f.type_id = t.id
      join lateral (
             select *
               from records
              where organization_id = $1 and type_id = t.id and deleted_at is null
              order by id desc
              limit 1) r on true
      left join record_values v on v.organization_id = $1 and v.record_id = r.id and v.field_id = f.id
     where t.organization_id = $1 and t.kind = 'machine'`;
  const read = async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await sql.query({ name: 'read', text, values: [organizationId] });
      found.reads += 1;
      found.longestReadMs = Math.max(found.longestReadMs, performance.now() - startedAt);
    }
  };
  const reading = read();
  reading.catch(() => undefined);
  return {
    found,
    async stop() {
      isStopped = true;
      await reading.finally(() => sql.end());
    },
  };
}
