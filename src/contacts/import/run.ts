import type { Database } from '../../platform/database/database.ts';
import { ownRows } from '../../platform/database/own.ts';
import type { Import } from '../../platform/imports/progress.ts';
import { runFile, usualBatch } from '../../platform/imports/run.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { rereadNamed } from '../identities/named-phones.ts';
import { importBatch } from './batch.ts';
import { readHeader } from './header.ts';
import { type Entry, rowReader } from './row.ts';
import { contactUploads } from './tables.ts';

type Deps = { database: Database; secrets: Secrets };

/** `mayGoOn` false leaves the rest to another run. Throws ImportFailure, Superseded. */
export const runImport = (
  { database, secrets }: Deps,
  running: Import,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = usualBatch,
): Promise<'over' | 'paused'> =>
  runFile<Entry>(
    {
      chunks: contactUploads.chunksOf(ownRows(database, running.organizationId), running.id),
      header(cells, line) {
        const read = rowReader(readHeader(cells, line));
        return (record) => read(record.cells, record.line);
      },
      apply: async (at, entries) =>
        importBatch(database, secrets, running, at, await rereadNamed(ownRows(database, running.organizationId), entries)),
    },
    done,
    mayGoOn,
    size,
  );
