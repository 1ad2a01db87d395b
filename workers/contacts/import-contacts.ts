import type { Import } from '../../src/contacts/import/batch.ts';
import { ImportFailure } from '../../src/contacts/import/failure.ts';
import { ContactImport, ContactImportChunk } from '../../src/contacts/import/import.entity.ts';
import { getImport } from '../../src/contacts/import/imports.ts';
import { importContactsJob } from '../../src/contacts/import/jobs.ts';
import { Taken } from '../../src/contacts/import/resolve-rows.ts';
import { runImport, usualBatch } from '../../src/contacts/import/run.ts';
import { contactsImported } from '../../src/platform/events/catalogue.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import type { OwnTx, TenantTx } from '../../src/platform/ledger/tx.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

export const importContacts = handle(importContactsJob, async ({ import_id }, context) => {
  const { own, row } = context;
  const found = await getImport(own, import_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const running: Import = { id: import_id, organizationId: row.organization_id, job: row };
  try {
    const outcome = await runImport(context, running, found.rows_done, turnOf(context), usualBatch);
    if (outcome === 'paused') return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    // The batch was retried many times: it must not block other imports for ever.
    if (error instanceof Taken)
      return context.again({ code: 'internal', message: 'Others changed the same contacts all the while' });
    if (!(error instanceof ImportFailure)) throw error;
    const { code, message, line, column } = error;
    // The update would write null for undefined.
    const failure = { code, message, ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
    const where = line === undefined ? '' : ` (line ${line})`;
    const work = async ({ own: tx }: TenantTx) => void (await tx.update(ContactImport, { id: import_id }, { failure }));
    return context.fail({ code, message: `${message}${where}` }, { work });
  }
  return context.finish((tx) => endImport(tx.own, import_id));
});

type Counts = { created: number; updated: number; unchanged: number; failed: number };

/** SQL: an update that returns its counts. */
const endStatement = `
  update contact_imports
     set state = 'succeeded', finished_at = clock_timestamp(), updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')
  returning created_count as created,
            updated_count as updated,
            unchanged_count as unchanged,
            failed_count as failed`;

async function endImport(tx: OwnTx, id: string) {
  const [counts] = await tx.sql<Counts>(endStatement, [id]);
  if (!counts) return;
  await tx.delete(ContactImportChunk, { import_id: id });
  // Only this job emits events of the import, so the lock is always free.
  await tx.lockNew('contact_import', id);
  tx.emit(contactsImported, { import_id: id, organization_id: tx.organizationId, ...counts });
}
