import type { Database } from '../../platform/database/database.ts';
import { query, queryPlanned } from '../../platform/database/query.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import { type Position, positionOf } from '../../platform/listing/keyset.ts';
import type { Ask } from '../../platform/listing/paging.ts';
import { MovedOn } from '../csv/superseded.ts';
import { readContactListing } from '../list.ts';
import { csvHeader, csvRows } from './csv.ts';
import type { ExportRequest } from './exports.ts';
import { customKeys, selected } from './selection.ts';

export type Export = { id: string; organizationId: string; job: RunRef };

/** How far it is: `pieces` are stored, and hold what comes until `position`. */
type Progress = { request: ExportRequest; keys: string[] | null; position: Position | null; pieces: number };

const pieceCharacters = 1024 * 1024;

/**
 * Writes what is left of the file, in pieces of whole rows that are stored with how far they reach: a run that is killed costs one piece.
 * `mayGoOn` is asked after each: false, and the rest is for another run. Throws 422 when it cannot be a table, MovedOn when another run has
 * taken over.
 */
export async function runExport(
  database: Database,
  own: Export,
  mayGoOn: () => boolean | Promise<boolean>,
  characters = pieceCharacters,
): Promise<'over' | 'paused'> {
  const progress = await progressOf(database, own);
  const listing = readContactListing(progress.request);
  const ask: Ask = (text, params) => queryPlanned(database, text, params);
  const selection = selected((work) => work(ask), own.organizationId, listing);
  const keys = progress.keys ?? (await customKeys(selection));
  let { pieces, position } = progress;
  let text = pieces === 0 ? csvHeader(keys, progress.request) : '';
  let ids: string[] = [];
  const store = () => storePiece(database, own, { number: pieces, text, ids, keys, position });
  for await (const slice of selection.slices(position ?? undefined)) {
    text += csvRows(slice, keys, progress.request);
    ids.push(...slice.map(({ id }) => id));
    position = positionOf(listing.keys, slice.at(-1)!);
    if (text.length < characters) continue;
    await store();
    pieces += 1;
    text = '';
    ids = [];
    if (!(await mayGoOn())) return 'paused';
  }
  if (text !== '') await store();
  return 'over';
}

async function progressOf(database: Database, { id, organizationId }: Export): Promise<Progress> {
  const [row] = await query<Progress>(
    database,
    'select request, keys, position, pieces from contact_exports where organization_id = $1 and id = $2 and request is not null',
    [organizationId, id],
  );
  if (!row) throw new MovedOn();
  return row;
}

type Piece = { number: number; text: string; ids: string[]; keys: string[]; position: Position | null };

/** Of two runs at once, one finds another number of pieces than it left. */
const storing = `
  with moved as (
    update contact_exports set state = 'running', pieces = pieces + 1, rows_done = rows_done + $4, bytes = bytes + length($5::bytea), keys = $6, position = $7,
           updated_at = clock_timestamp()
     where organization_id = $1 and id = $2 and pieces = $3 and state in ('queued', 'running')
       and exists (select from jobs where id = $8 and run = $9 and state = 'queued') returning rows_done),
  piece as (insert into contact_export_chunks (organization_id, export_id, number, bytes, first_id, last_id)
    select $1, $2, $3, $5, $10::uuid, $11::uuid from moved),
  told as (update jobs set progress = jsonb_build_object('rows', moved.rows_done) from moved where jobs.id = $8)
  select from moved`;

async function storePiece(database: Database, { id, organizationId, job }: Export, piece: Piece): Promise<void> {
  const { number, text, ids, keys, position } = piece;
  const bytes = Buffer.from(text);
  // Ids have one order, as text and in the database.
  const sorted = ids.toSorted();
  const params = [
    organizationId,
    id,
    number,
    ids.length,
    bytes,
    JSON.stringify(keys),
    position && JSON.stringify(position),
    job.id,
    job.run,
    sorted[0],
    sorted.at(-1),
  ];
  const moved = await query(database, storing, params);
  if (moved.length === 0) throw new MovedOn();
}
