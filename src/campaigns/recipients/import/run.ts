import { rereadNamed } from '../../../contacts/identities/named-phones.ts';
import { identityTaken } from '../../../contacts/identities/resolve.ts';
import { type Applied, countedBatch } from '../../../imports/batch.ts';
import type { RecipientsRequest } from '../../../imports/import.entity.ts';
import { crmUploads } from '../../../imports/tables.ts';
import { ImportFailure } from '../../../platform/csv/failure.ts';
import { brokenReference, violatedConstraint } from '../../../platform/database/errors.ts';
import type { Own } from '../../../platform/database/own.ts';
import { AppError } from '../../../platform/errors.ts';
import type { BadRow, Import } from '../../../platform/imports/progress.ts';
import { type BatchSize, runFile } from '../../../platform/imports/run.ts';
import type { TenantTransact } from '../../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../../platform/ledger/tx.ts';
import type { Secrets } from '../../../platform/secrets.ts';
import { campaignLane } from '../../jobs.ts';
import { addRecipients, type NewRecipient } from '../add.ts';
import { type Met, meetPeople } from '../people.ts';
import { readColumns } from './header.ts';
import { type Entry, isBad, type ReadRecipient, rowReader } from './row.ts';

/** A batch holds the campaign's lock, and with it the feed. */
const recipientsBatch: BatchSize = { rows: 1_000, characters: 2_000_000 };

type Deps = { own: Own; transact: TenantTransact; secrets: Secrets };
export type RecipientsImport = Import & { request: RecipientsRequest };

/** `mayGoOn` false leaves the rest to another run. Throws ImportFailure, Superseded, LocksOutdated. */
export const importRecipients = (
  { own, transact, secrets }: Deps,
  running: RecipientsImport,
  done: number,
  mayGoOn: () => boolean | Promise<boolean>,
  size = recipientsBatch,
): Promise<'over' | 'paused'> =>
  runFile<Entry>(
    {
      chunks: crmUploads.chunksOf(own, running.id),
      header: (cells, line) => rowReader(readColumns(cells, line)),
      apply: (at, entries) =>
        transact(
          {
            look: async () => undefined,
            locks: () => [campaignLane(running.request.campaign_id)],
            // Somebody else made one of the contacts, or erased one.
            outdatedBy: (error) => violatedConstraint(error) === identityTaken || brokenReference(error) !== undefined,
            isLong: true,
          },
          async ({ own: tx }) => {
            const { taken } = await countedBatch(tx, running, at, async () =>
              applied(tx, secrets, running.request, await rereadNamed(tx, entries)),
            );
            return taken;
          },
        ),
    },
    done,
    mayGoOn,
    size,
  );

async function applied(tx: OwnTx, secrets: Secrets, request: RecipientsRequest, entries: Entry[]): Promise<Applied> {
  const rows = entries.flatMap((entry) => (isBad(entry) ? [] : [entry]));
  const met = await meetPeople(tx, secrets, rows, request.create_contacts);
  const known = rows.flatMap((row, n) => {
    const one = met[n]!;
    return 'contactId' in one ? [{ contactId: one.contactId, parameters: row.parameters }] : [];
  });
  const { added, changed } = await addedTo(tx, request.campaign_id, known);
  const failures: BadRow[] = entries.filter(isBad);
  for (const [n, row] of rows.entries()) {
    const error = errorOf(row, met[n]!);
    if (error) failures.push(error);
  }
  failures.sort((one, other) => one.line - other.line);
  const counts = { created: added.size, updated: changed.size, unchanged: 0, failed: failures.length };
  counts.unchanged = entries.length - counts.failed - counts.created - counts.updated;
  return { taken: entries.length, counts, failures };
}

/** The campaign ended, was deleted or lost its channels while the file was read. */
async function addedTo(tx: OwnTx, campaignId: string, known: NewRecipient[]) {
  try {
    return await addRecipients(tx, campaignId, known);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ImportFailure(`campaign.${error.code}`, error.message);
  }
}

function errorOf({ line }: ReadRecipient, met: Met): BadRow | undefined {
  if ('contactId' in met) return undefined;
  const { fault, at } = met;
  const error =
    fault === 'unknown'
      ? { code: 'contact.unknown', message: 'Unknown contact' }
      : { code: 'conflict', message: 'The columns name different contacts' };
  return { line, errors: [{ column: at, ...error }] };
}
