import type { Database } from '../../platform/database/database.ts';
import { type Own, ownRows } from '../../platform/database/own.ts';
import { queryPlanned } from '../../platform/database/query.ts';
import { statement } from '../../platform/database/statement.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import { type Position, positionOf } from '../../platform/listing/keyset.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import { readContactListing } from '../list.ts';
import { csvHeader, csvRows } from './csv.ts';
import { ContactExport, type ExportRequest } from './export.entity.ts';
import { customKeys, selected } from './selection.ts';

export type Export = { id: string; organizationId: string; job: RunRef };

const pieceCharacters = 1024 * 1024;

/** Some rows of a file. `ids`: of the contacts in them, which each row begins with. */
export type Slice = { rows: number; ids: string[]; text: string; end: Position };

/** What a file is written of. `keys`: the columns that its rows have beside; read once. */
export type FileSource = {
  keys(): Promise<string[]>;
  header(keys: string[]): string;
  slices(keys: string[], begin?: Position): AsyncGenerator<Slice>;
};
export type SourceOf = (database: Database, organizationId: string, request: ExportRequest) => FileSource;

const contactsOf: SourceOf = (database, organizationId, request) => {
  const listing = readContactListing(request);
  const ask: Ask = (text, params) => queryPlanned(database, text, params);
  const selection = selected((work) => work(ask), organizationId, listing);
  return {
    keys: () => customKeys(selection),
    header: (keys) => csvHeader(keys, request),
    async *slices(keys, begin) {
      for await (const slice of selection.slices(begin))
        yield {
          rows: slice.length,
          ids: slice.map((contact) => contact.id),
          text: csvRows(slice, keys, request),
          end: positionOf(listing.keys, slice.at(-1)!),
        };
    },
  };
};

/** Each piece is stored with its end position: a killed run loses one piece. `mayGoOn` false leaves the rest to another run. */
export async function runExport(
  database: Database,
  { id, organizationId, job }: Export,
  mayGoOn: () => boolean | Promise<boolean>,
  { characters = pieceCharacters, sourceOf = contactsOf }: { characters?: number; sourceOf?: SourceOf } = {},
): Promise<'over' | 'paused'> {
  const own = ownRows(database, organizationId);
  const progress = await progressOf(own, id);
  const source = sourceOf(database, organizationId, progress.request);
  const keys = progress.keys ?? (await source.keys());
  let { pieces, position } = progress;
  let text = pieces === 0 ? source.header(keys) : '';
  let rows = 0;
  let ids: string[] = [];
  const store = () => storePiece(own, id, job, { number: pieces, text, rows, ids, keys, position });
  for await (const slice of source.slices(keys, position ?? undefined)) {
    text += slice.text;
    rows += slice.rows;
    ids.push(...slice.ids);
    position = slice.end;
    if (text.length < characters) continue;
    await store();
    pieces += 1;
    text = '';
    rows = 0;
    ids = [];
    if (!(await mayGoOn())) return 'paused';
  }
  if (text !== '') await store();
  return 'over';
}

const progressById = statement((select, { id }: { id: string }) =>
  select(ContactExport)
    .select(['request', 'keys', 'position', 'pieces'])
    .where('id', '=', id)
    .where('request', 'is not', null)
    .$narrowType<{ request: ExportRequest }>(),
);

async function progressOf(own: Own, id: string) {
  const [progress] = await progressById(own, { id });
  if (!progress) throw new Superseded();
  return progress;
}

type Piece = { number: number; text: string; rows: number; ids: string[]; keys: string[]; position: Position | null };

/** SQL: piece, progress and the check of the run in one statement. Of two concurrent runs, one fails the check. */
const storeStatement = `
  with moved as (
    update contact_exports
       set state = 'running',
           pieces = pieces + 1,
           rows_done = rows_done + $4,
           bytes = bytes + length($5::bytea),
           keys = $6,
           position = $7,
           updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and pieces = $3
       and state in ('queued', 'running')
       and exists (select from jobs where organization_id = $1 and id = $8 and run = $9 and state = 'queued')
    returning rows_done),
  piece as (
    insert into contact_export_chunks (organization_id, export_id, number, bytes, first_id, last_id)
    select $1, $2, $3, $5, $10::uuid, $11::uuid
      from moved),
  shown as (
    update jobs
       set progress = jsonb_build_object('rows', moved.rows_done)
      from moved
     where jobs.organization_id = $1 and jobs.id = $8)
  select from moved`;

async function storePiece(own: Own, id: string, job: RunRef, { number, text, rows, ids, keys, position }: Piece): Promise<void> {
  // The database orders uuids as text does.
  const sorted = ids.toSorted();
  const moved = await own.sql(storeStatement, [
    id,
    number,
    rows,
    Buffer.from(text),
    JSON.stringify(keys),
    position && JSON.stringify(position),
    job.id,
    job.run,
    sorted[0],
    sorted.at(-1),
  ]);
  if (moved.length === 0) throw new Superseded();
}
