import { to as copyTo } from 'pg-copy-streams';
import { uuidv7 } from '../src/platform/ids.ts';
import { runOf } from './long-job.ts';
import type { Process } from './processes.ts';
import type { Side } from './stage.ts';

const chunkBytes = 1024 * 1024;

export async function exported({ sql }: Side, worker: Process, organizationId: string, rows: number) {
  const id = await newExport({ sql }, organizationId);
  return runOf(
    { sql },
    worker,
    { name: 'contacts.export', subject: 'contact_export', field: 'export_id' },
    id,
    organizationId,
    rows,
  );
}

/** The least that must be done: PostgreSQL writes the CSV itself, and its pieces go into the table they are kept in. Seconds. */
export async function copiedOut({ sql }: Side, organizationId: string): Promise<number> {
  const id = await newExport({ sql }, organizationId);
  const client = await sql.connect();
  const startedAt = performance.now();
  const file = client.query(
    copyTo(
      `copy (select id, phone_number, name, email, external_source, external_id, custom_fields->>'tier', custom_fields->>'visits', created_at, updated_at
               from contacts where organization_id = '${organizationId}' order by created_at, id) to stdout (format csv, header)`,
    ),
  );
  let number = 0;
  let pieces: Buffer[] = [];
  let held = 0;
  const store = async () => {
    const insert = 'insert into contact_export_chunks (organization_id, export_id, number, bytes) values ($1, $2, $3, $4)';
    await sql.query(insert, [organizationId, id, number, Buffer.concat(pieces)]);
    number += 1;
    pieces = [];
    held = 0;
  };
  for await (const piece of file as AsyncIterable<Buffer>) {
    pieces.push(piece);
    held += piece.length;
    if (held >= chunkBytes) await store();
  }
  await store();
  client.release();
  return (performance.now() - startedAt) / 1000;
}

async function newExport({ sql }: Pick<Side, 'sql'>, organizationId: string): Promise<string> {
  const id = uuidv7();
  await sql.query(
    `insert into contact_exports (id, organization_id, state, actor, request) values ($1, $2, 'queued', 'bench', '{"sort": "created_at"}')`,
    [id, organizationId],
  );
  return id;
}
