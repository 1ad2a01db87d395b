import { actorOfImport, countedBatch } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { crmUploads } from '../../imports/tables.ts';
import { membersNamed } from '../../organizations/named-members.ts';
import { ImportFailure } from '../../platform/csv/failure.ts';
import type { CsvRecord } from '../../platform/csv/records.ts';
import { brokenReference, violatedConstraint } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { Import } from '../../platform/imports/progress.ts';
import { runFile, usualBatch } from '../../platform/imports/run.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { slices } from '../../platform/load/slices.ts';
import type { ObjectType } from '../types/definition.ts';
import { loadTypes, typeForWrite } from '../types/object-type.ts';
import { foldRows } from './fold.ts';
import { type Column, type Definitions, readColumns } from './header.ts';
import { holdAll } from './held.ts';
import { lookAtRows, lookUp, type Seen } from './look.ts';
import { type Entry, rowReader } from './row.ts';
import { writeFolded } from './write.ts';

type Deps = { own: Own; transact: TenantTransact };
export type RecordImport = Import & { kind: string; request: ImportRequest };

/** The type was changed since the rows were read: read them again by the new definition. */
class DefinitionChanged extends Error {}

/** `mayGoOn` false leaves the rest to another run. Throws ImportFailure, Superseded, LocksOutdated. */
export async function importRecords(
  { own, transact }: Deps,
  running: RecordImport,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = usualBatch,
): Promise<'over' | 'paused'> {
  const { request } = running;
  let definitions = await definitionsOf(own, running);
  let header: { cells: string[]; line: number } | undefined;
  let columns: Column[] = [];
  const apply = async (at: number, records: CsvRecord[]): Promise<number> => {
    const entries = await readAll(records, rowReader(definitions.type, columns));
    const { type } = definitions;
    return transact(
      {
        look: () => lookAtRows(own, type, request, entries),
        locks: ({ locks }) => locks,
        // Somebody wrote one of the values or links first, or deleted what the rows name.
        outdatedBy: (error) =>
          /^record_(values_unique|links)_/.test(violatedConstraint(error) ?? '') || brokenReference(error) !== undefined,
        isLong: true,
      },
      async ({ own: tx }, seen) => (await applyOnce(tx, type, running, at, entries, seen)).taken,
    );
  };
  return runFile<CsvRecord>(
    {
      chunks: crmUploads.chunksOf(own, running.id),
      header(cells, line) {
        header = { cells, line };
        columns = readColumns(definitions, request, cells, line);
        return (record) => record;
      },
      async apply(at, records) {
        for (;;)
          try {
            return await apply(at, records);
          } catch (error) {
            if (!(error instanceof DefinitionChanged)) throw error;
            definitions = await definitionsOf(own, running);
            columns = readColumns(definitions, request, header!.cells, header!.line);
          }
      },
    },
    done,
    mayGoOn,
    size,
  );
}

/** A file that was taken before imports knew their type has no `typeId`: the kind alone counts. */
async function definitionsOf(own: Own, { kind, request: { typeId } }: RecordImport): Promise<Definitions> {
  const types = await loadTypes(own);
  const type = types.find((one) => one.kind === kind && (typeId === undefined || one.id === typeId));
  if (!type) throw new ImportFailure('kind.unknown', 'The type of the records is not there any more');
  return { type, types };
}

async function readAll(records: CsvRecord[], read: (record: CsvRecord) => Entry): Promise<Entry[]> {
  const turnOfOthers = slices();
  const entries: Entry[] = [];
  for (const record of records) {
    entries.push(read(record));
    await turnOfOthers();
  }
  return entries;
}

const applyOnce = (tx: OwnTx, type: ObjectType, running: RecordImport, done: number, entries: Entry[], seen: Seen) =>
  countedBatch(tx, running, done, async () => {
    const { request, kind } = running;
    const held = await typeForWrite(tx, kind).catch((error: unknown) => {
      if (error instanceof AppError) throw new DefinitionChanged();
      throw error;
    });
    if (held.version !== type.version || held.id !== type.id) throw new DefinitionChanged();
    const members = await membersNamed(
      tx,
      seen.rows.flatMap((row) => row.members.map((name) => String(row.checked.values[name]))),
    );
    // Under the locks: what the first look found may have changed.
    const looked = seen.locks.length === 0 ? seen.looked : await lookUp(tx, type, seen.rows);
    const all = await holdAll(tx, type, request, looked, seen.rows);
    const folded = await foldRows({ type, request, seen: { ...seen, looked }, held: all, members }, entries);
    await writeFolded(tx, type, folded, { actor: actorOfImport(running), source: request.source });
    return folded;
  });
