import { getImport } from '../../src/contacts/import/imports.ts';
import { contactImportEnds, importContactsJob } from '../../src/contacts/import/jobs.ts';
import { Taken } from '../../src/contacts/import/resolve-rows.ts';
import { runImport } from '../../src/contacts/import/run.ts';
import { contactsImported } from '../../src/platform/events/catalogue.ts';
import { handle } from '../handler.ts';
import { importFile } from '../import-file.ts';
import { turnOf } from '../turn.ts';

export const importContacts = handle(importContactsJob, async ({ import_id }, context) => {
  const { own, row } = context;
  const found = await getImport(own, import_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const running = { id: import_id, organizationId: row.organization_id, job: row };
  return importFile(context, {
    importId: import_id,
    ends: contactImportEnds,
    run: () => runImport(context, running, found.rows_done, turnOf(context)),
    isTaken: (error) => error instanceof Taken,
    told: (tx, counts) => void tx.emit(contactsImported, { import_id, organization_id: tx.organizationId, ...counts }),
  });
});
