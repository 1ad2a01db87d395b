import { revisionTaken } from '../../history/history.ts';
import { actorOfImport, countedBatch } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import { crmUploads } from '../../imports/tables.ts';
import { getOrganization } from '../../organizations/organizations.ts';
import { brokenReference, violatedConstraint } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import type { Import } from '../../platform/imports/progress.ts';
import { runFile, usualBatch } from '../../platform/imports/run.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { dealLock } from '../deal-row.ts';
import { foldRows } from './fold.ts';
import { readColumns } from './header.ts';
import { lookAround, lookAtRows } from './look.ts';
import { type Entry, rowReader } from './row.ts';
import { writeFolded } from './write.ts';

type Deps = { own: Own; transact: TenantTransact };
export type DealImport = Import & { request: ImportRequest };

/** Somebody linked, merged or erased one of the contacts first, or removed a stage. */
const outdating = [revisionTaken, 'deal_contacts_primary', 'deal_contacts_pkey'];

/** `mayGoOn` false leaves the rest to another run. Throws ImportFailure, Superseded, LocksOutdated. */
export async function importDeals(
  { own, transact }: Deps,
  running: DealImport,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = usualBatch,
): Promise<'over' | 'paused'> {
  const { request } = running;
  const { timezone } = await getOrganization(own);
  return runFile<Entry>(
    {
      chunks: crmUploads.chunksOf(own, running.id),
      header: (cells, line) => rowReader(readColumns(request, cells, line), { timezone }),
      apply: (at, entries) =>
        transact(
          {
            look: () => lookAtRows(own, request, entries),
            locks: ({ ids }) => ids.map(dealLock),
            outdatedBy: (error) => outdating.includes(violatedConstraint(error) ?? '') || brokenReference(error) !== undefined,
            isLong: true,
          },
          async ({ own: tx }, seen) => {
            const { taken } = await countedBatch(tx, running, at, async () => {
              const folded = await foldRows(request, await lookAround(tx, request, seen.rows), seen, entries);
              await writeFolded(tx, folded.states, actorOfImport(running));
              return folded;
            });
            return taken;
          },
        ),
    },
    done,
    mayGoOn,
    size,
  );
}
