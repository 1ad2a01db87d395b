import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { copyLine } from '../../src/platform/database/session.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { idOf } from '../fill-sql.ts';
import { type Memory, runOf } from '../long-job.ts';
import type { Process } from '../processes.ts';
import type { Side, Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import { definitions, machineFields } from './rows.ts';

type Round = { perSecond: number; memory: Memory };
export type CrmImportBench = { rows: number; bytes: number; restRssMb: number; kanal: Round[]; floor: number[] };

const chunkBytes = 1024 * 1024;
const kind = 'machine';

type Field = { id: string; name: string; type: string; isIndexed: boolean };
type Type = { organizationId: string; typeId: string; fields: Field[] };

/** The file through the whole import, from its stored pieces, beside a COPY of the same rows into the three tables, alternately. */
export async function crmImportBench(stage: Stage, rows: number, rounds: number): Promise<CrmImportBench> {
  const worker = stage.kanal.startWorker('default', { BULK_TIME_SHARE: '1' });
  const result: CrmImportBench = { rows, bytes: 0, restRssMb: 0, kanal: [], floor: [] };
  try {
    // What a process does only once must not count in the first round.
    await imported(stage.kanal, worker, await newType(stage.kanal), 5_000);
    result.restRssMb = (await worker.usage()).rssMb;
    for (let number = 0; number < rounds; number += 1)
      for (const side of number % 2 === 0 ? (['kanal', 'floor'] as const) : (['floor', 'kanal'] as const)) {
        const type = await newType(stage[side]);
        if (side === 'floor') result.floor.push(rows / (await copied(stage.floor, type, rows)));
        else {
          const { bytes, ...round } = await imported(stage.kanal, worker, type, rows);
          result.bytes = bytes;
          result.kanal.push(round);
        }
        await stage[side].sql.query('vacuum analyze records, record_values, crm_history');
      }
  } finally {
    await worker.stop();
  }
  return result;
}

async function newType({ sql }: Side): Promise<Type> {
  const organizationId = uuidv7();
  await sql.query(`insert into organizations (id, name) values ($1, 'Import')`, [organizationId]);
  for (const statement of definitions) await sql.query(statement, [[organizationId]]);
  const { rows } = await sql.query(`select ${idOf(kind)} as id from (select $1::uuid as o) x`, [organizationId]);
  const { rows: fields } = await sql.query<Field>(
    `select id, name, type, is_indexed as "isIndexed" from object_fields where type_id = $1 order by position`,
    [rows[0].id],
  );
  return { organizationId, typeId: rows[0].id, fields };
}

/** A value of each type, the same on both sides. */
function valueIn({ name, type }: Field, n: number): unknown {
  if (type === 'number') return (n % 10_000) + 0.5;
  if (type === 'integer') return n % 5_000;
  if (type === 'boolean') return n % 3 === 0;
  if (type === 'date') return new Date(Date.UTC(2020, 0, 1 + (n % 2_000))).toISOString().slice(0, 10);
  if (type === 'datetime') return new Date(Date.UTC(2020, 0, 1, 0, 0, n)).toISOString();
  if (type === 'email') return `machine.${n}@example.com`;
  if (type === 'select') return ['stock', 'sold'][n % 2];
  return `${name} ${n % 10_000}`;
}

async function imported(side: Side, worker: Process, { organizationId, fields }: Type, rows: number) {
  const { sql } = side;
  const importId = uuidv7();
  const request = { mode: 'create', key: null, source: null, columns: {}, seesContacts: true };
  await sql.query(
    `insert into crm_imports (id, organization_id, state, actor, object_kind, request) values ($1, $2, 'queued', 'bench', $3, $4)`,
    [importId, organizationId, kind, request],
  );
  let text = `${fields.map(({ name }) => name).join(',')}\r\n`;
  let [number, bytes] = [0, 0];
  const store = async () => {
    const chunk = Buffer.from(text);
    const params = [organizationId, importId, number, chunk];
    await sql.query('insert into crm_import_chunks (organization_id, import_id, number, bytes) values ($1, $2, $3, $4)', params);
    number += 1;
    bytes += chunk.length;
    text = '';
  };
  for (let n = 0; n < rows; n += 1) {
    text += `${fields.map((field) => valueIn(field, n)).join(',')}\r\n`;
    if (text.length >= chunkBytes) await store();
  }
  await store();
  const job = { name: 'crm.import', subject: 'crm_import', field: 'import_id' };
  return { ...(await runOf({ sql }, worker, job, importId, organizationId, rows)), bytes };
}

/** The least that must be written: records, their typed index and their history, with all indexes and checks. */
async function copied({ sql }: Side, { organizationId, typeId, fields }: Type, rows: number): Promise<number> {
  const ids = Array.from({ length: rows }, () => uuidv7());
  const client = await sql.connect();
  const copy = (target: string, lineOf: (id: string, n: number, values: Record<string, unknown>) => string) => {
    const pieces = function* () {
      for (let at = 0; at < rows; at += 1_000)
        yield Buffer.from(
          ids
            .slice(at, at + 1_000)
            .map((id, index) => {
              const values = Object.fromEntries(fields.map((field) => [field.name, valueIn(field, at + index)]));
              return lineOf(id, at + index, values);
            })
            .join(''),
        );
    };
    return pipeline(Readable.from(pieces()), client.query(copyFrom(`copy ${target} from stdin`)));
  };
  const startedAt = performance.now();
  await copy('records (id, organization_id, type_id, display_name, search_text, fields)', (id, _n, values) =>
    copyLine([id, organizationId, typeId, String(Object.values(values)[0]), String(values.note ?? ''), JSON.stringify(values)]),
  );
  const columnOf = (type: string) =>
    type === 'date' || type === 'datetime' ? 2 : ['number', 'integer', 'boolean'].includes(type) ? 1 : 0;
  await copy('record_values (organization_id, record_id, field_id, text_value, number_value, time_value)', (id, _n, values) =>
    fields
      .filter(({ isIndexed }) => isIndexed)
      .map(({ id: fieldId, name, type }) => {
        const value = typeof values[name] === 'boolean' ? Number(values[name]) : (values[name] as string | number);
        const cells = [0, 1, 2].map((at) => (at === columnOf(type) ? (at === 0 ? String(value).toLowerCase() : value) : null));
        return copyLine([organizationId, id, fieldId, ...cells]);
      })
      .join(''),
  );
  await copy('crm_history (organization_id, object_kind, object_id, revision, actor, changes)', (id, _n, values) => {
    const changes = Object.fromEntries(Object.entries(values).map(([name, to]) => [name, { from: null, to }]));
    return copyLine([organizationId, 'record', id, 1, 'import:bench', JSON.stringify(changes)]);
  });
  client.release();
  return (performance.now() - startedAt) / 1000;
}

export function crmImportReport({ rows, bytes, restRssMb, kanal, floor }: CrmImportBench): string {
  const line = (name: string, perSecond: number[]) =>
    `| ${name} | ${median(perSecond).toFixed(0)} | ${perSecond.map((value) => value.toFixed(0)).join(', ')} |`;
  const rates = kanal.map(({ perSecond }) => perSecond);
  const worst = kanal.reduce((max, round) => (Math.max(...round.memory) > Math.max(...max.memory) ? round : max));
  return [
    '| records a second | median | rounds |',
    '| --- | --- | --- |',
    line('import', rates),
    line('COPY of the same rows into records, record_values and crm_history', floor),
    '',
    `Import / floor: **${(median(rates) / median(floor)).toFixed(2)}**. ${rows} records of ${machineFields.length} indexed fields, ${(bytes / 2 ** 20).toFixed(1)} MiB a file.`,
    `Memory of the worker, the peak of each fifth of the file: ${worst.memory.map((mb) => mb.toFixed(0)).join(', ')} MiB; ${restRssMb.toFixed(0)} MiB before.`,
  ].join('\n');
}
