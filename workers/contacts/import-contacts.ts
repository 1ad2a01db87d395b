import { Superseded } from '../../src/contacts/csv/superseded.ts';
import type { Import } from '../../src/contacts/import/batch.ts';
import { ImportFailure } from '../../src/contacts/import/failure.ts';
import { getImport } from '../../src/contacts/import/imports.ts';
import { dropFile, importContactsJob } from '../../src/contacts/import/jobs.ts';
import { Taken } from '../../src/contacts/import/resolve-rows.ts';
import { runImport, usualBatch } from '../../src/contacts/import/run.ts';
import { contactsImported } from '../../src/platform/events/catalogue.ts';
import type { Tx } from '../../src/platform/ledger/tx.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from './turn.ts';

export const importContacts = handle(importContactsJob, async ({ import_id }, context) => {
  const { em, row } = context;
  const found = await getImport(em, row.organization_id, import_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const own: Import = { id: import_id, organizationId: row.organization_id, job: row };
  try {
    const outcome = await runImport(context, own, found.rows_done, turnOf(context), usualBatch);
    if (outcome === 'paused') return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    // After many looks: it must not go round for ever in front of others.
    if (error instanceof Taken)
      return context.again({ code: 'internal', message: 'Others changed the same contacts all the while' });
    if (!(error instanceof ImportFailure)) throw error;
    const { code, message, line, column } = error;
    const where = line === undefined ? '' : ` (line ${line})`;
    return context.fail(
      { code, message: `${message}${where}` },
      { work: (tx) => noteFailure(tx, own, { code, message, line, column }) },
    );
  }
  return context.finish((tx) => endImport(tx, own));
});

const noteFailure = async (tx: Tx, { id, organizationId }: Import, failure: object) =>
  void (await tx.query('update contact_imports set failure = $3 where organization_id = $1 and id = $2', [
    organizationId,
    id,
    JSON.stringify(failure),
  ]));

type Counts = { created: number; updated: number; unchanged: number; failed: number };

/** One event for the file, none for its rows. */
async function endImport(tx: Tx, { id, organizationId }: Import) {
  const [counts] = await tx.query<Counts>(
    `update contact_imports set state = 'succeeded', finished_at = clock_timestamp(), updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and state in ('queued', 'running')
     returning created_count as created, updated_count as updated, unchanged_count as unchanged, failed_count as failed`,
    [organizationId, id],
  );
  if (!counts) return;
  await dropFile(tx, id);
  // Nobody else speaks of an import: its lock waits for no one.
  await tx.lockNew('contact_import', id);
  tx.emit(contactsImported, { import_id: id, organization_id: organizationId, ...counts }, { organizationId });
}
