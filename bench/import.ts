import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { copyLine } from '../src/platform/database/session.ts';
import { uuidv7 } from '../src/platform/ids.ts';
import { copiedOut, exported } from './export.ts';
import { type Memory, runOf } from './long-job.ts';
import type { Process } from './processes.ts';
import type { Side, Stage } from './stage.ts';
import { median } from './statistics.ts';

type Round = { perSecond: number; memory: Memory };
export type ImportBench = {
  rows: number;
  bytes: number;
  restRssMb: number;
  kanal: Round[];
  floor: number[];
  export: { kanal: Round[]; floor: number[] };
};

const chunkBytes = 1024 * 1024;

const person = (number: number) => {
  const digits = `1650${String(2_000_000 + number).padStart(7, '0')}`;
  const name = `${['Sheena', 'Ada', 'José', 'Łukasz', 'Nguyễn', 'Fatima'][number % 6]} ${['Nelson', 'Lovelace', 'García', 'Nowak'][number % 4]} ${number}`;
  const custom = { tier: ['gold', 'silver', 'bronze'][number % 3]!, visits: number % 500 };
  return { digits, name, email: `person.${number}@example.com`, externalId: `C-${number}`, custom };
};
type Person = ReturnType<typeof person>;

/** The file through the whole import, from its stored pieces, beside a COPY of the same rows straight into the two tables, alternately. */
export async function importBench(stage: Stage, rows: number, rounds: number): Promise<ImportBench> {
  const worker = stage.kanal.startWorker('default', { BULK_TIME_SHARE: '1' });
  const result: ImportBench = { rows, bytes: 0, restRssMb: 0, kanal: [], floor: [], export: { kanal: [], floor: [] } };
  try {
    // What a process does only once must not count in the first round.
    const first = await newOrganization(stage.kanal);
    await imported(stage.kanal, worker, { ...(await storeFile(stage.kanal, first, 5_000)), rows: 5_000 });
    await exported(stage.kanal, worker, first, 5_000);
    result.restRssMb = (await worker.usage()).rssMb;
    for (let number = 0; number < rounds; number += 1)
      for (const side of number % 2 === 0 ? (['kanal', 'floor'] as const) : (['floor', 'kanal'] as const)) {
        const organizationId = await newOrganization(stage[side]);
        if (side === 'kanal') {
          const file = await storeFile(stage.kanal, organizationId, rows);
          result.bytes = file.bytes;
          result.kanal.push(await imported(stage.kanal, worker, { ...file, rows }));
        } else result.floor.push(rows / (await copied(stage.floor, organizationId, rows)));
        await stage[side].sql.query('vacuum analyze contacts, contact_identities');
        if (side === 'kanal') result.export.kanal.push(await exported(stage.kanal, worker, organizationId, rows));
        else result.export.floor.push(rows / (await copiedOut(stage.floor, organizationId)));
      }
  } finally {
    await worker.stop();
  }
  return result;
}

async function newOrganization({ sql }: Side): Promise<string> {
  const id = uuidv7();
  await sql.query(`insert into organizations (id, name) values ($1, 'Import')`, [id]);
  return id;
}

type File = { importId: string; organizationId: string; bytes: number };

async function storeFile({ sql }: Side, organizationId: string, rows: number): Promise<File> {
  const importId = uuidv7();
  await sql.query(`insert into contact_imports (id, organization_id, state, actor) values ($1, $2, 'queued', 'bench')`, [
    importId,
    organizationId,
  ]);
  let text = 'phone_number,name,email,external_source,external_id,custom_fields.tier,custom_fields.visits\r\n';
  let [number, bytes] = [0, 0];
  const store = async () => {
    const chunk = Buffer.from(text);
    await sql.query('insert into contact_import_chunks (organization_id, import_id, number, bytes) values ($1, $2, $3, $4)', [
      organizationId,
      importId,
      number,
      chunk,
    ]);
    number += 1;
    bytes += chunk.length;
    text = '';
  };
  for (let at = 0; at < rows; at += 1) {
    const { digits, name, email, externalId, custom } = person(at);
    text += `+${digits},${name},${email},shop,${externalId},${custom.tier},${custom.visits}\r\n`;
    if (text.length >= chunkBytes) await store();
  }
  await store();
  return { importId, organizationId, bytes };
}

async function imported({ sql }: Side, worker: Process, { importId, organizationId, rows }: File & { rows: number }) {
  return runOf(
    { sql },
    worker,
    { name: 'contacts.import', subject: 'contact_import', field: 'import_id' },
    importId,
    organizationId,
    rows,
  );
}

/** The least that must be written: the rows of the two tables, with all their indexes and checks. */
async function copied({ sql }: Side, organizationId: string, rows: number): Promise<number> {
  const ids = Array.from({ length: rows }, () => uuidv7());
  const client = await sql.connect();
  const copy = (target: string, lineOf: (person: Person, id: string) => string) => {
    const lines = function* () {
      for (let at = 0; at < rows; at += 1_000)
        yield Buffer.from(
          ids
            .slice(at, at + 1_000)
            .map((id, index) => lineOf(person(at + index), id))
            .join(''),
        );
    };
    return pipeline(Readable.from(lines()), client.query(copyFrom(`copy ${target} from stdin`)));
  };
  const startedAt = performance.now();
  await copy(
    'contacts (id, organization_id, name, phone_number, email, external_source, external_id, custom_fields)',
    ({ digits, name, email, externalId, custom }, id) =>
      copyLine([id, organizationId, name, `+${digits}`, email, 'shop', externalId, JSON.stringify(custom)]),
  );
  await copy('contact_identities (id, organization_id, contact_id, type, source, value)', ({ digits, email, externalId }, id) =>
    [
      ['phone', '', `+${digits}`],
      ['messaging_app', '', digits],
      ['email', '', email],
      ['external_id', 'shop', externalId],
    ]
      .map((identity) => copyLine([uuidv7(), organizationId, id, ...identity]))
      .join(''),
  );
  client.release();
  return (performance.now() - startedAt) / 1000;
}

export function importReport({ rows, bytes, restRssMb, kanal, floor, export: out }: ImportBench): string {
  const line = (name: string, perSecond: number[]) =>
    `| ${name} | ${median(perSecond).toFixed(0)} | ${perSecond.map((value) => value.toFixed(0)).join(', ')} |`;
  const rates = (rounds: Round[]) => rounds.map(({ perSecond }) => perSecond);
  const ratio = (rounds: Round[], others: number[]) => (median(rates(rounds)) / median(others)).toFixed(2);
  return [
    '| rows a second | median | rounds |',
    '| --- | --- | --- |',
    line('import', rates(kanal)),
    line('COPY of the same rows into contacts and contact_identities', floor),
    line('export', rates(out.kanal)),
    line('COPY of the same contacts as CSV, in pieces into a table', out.floor),
    '',
    `Import / floor: **${ratio(kanal, floor)}**, export / floor: **${ratio(out.kanal, out.floor)}**. ${rows} rows, ${(bytes / 2 ** 20).toFixed(1)} MiB a file.`,
    `Memory of the worker, the peak of each fifth of the file: import ${fifths(kanal)} MiB, export ${fifths(out.kanal)} MiB; ${restRssMb.toFixed(0)} MiB before.`,
  ].join('\n');
}

/** Of the round that took most. */
const fifths = (rounds: Round[]) => {
  const worst = rounds.reduce((max, round) => (Math.max(...round.memory) > Math.max(...max.memory) ? round : max));
  return worst.memory.map((mb) => mb.toFixed(0)).join(', ');
};
