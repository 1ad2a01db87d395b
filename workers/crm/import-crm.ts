import { importDeals } from '../../src/deals/import/run.ts';
import type { ImportRequest } from '../../src/imports/import.entity.ts';
import { getCrmImport } from '../../src/imports/imports.ts';
import { crmImportEnds, importCrmJob } from '../../src/imports/jobs.ts';
import { crmImported } from '../../src/platform/events/crm-events.ts';
import { LocksOutdated } from '../../src/platform/ledger/locks.ts';
import { importRecords } from '../../src/records/import/run.ts';
import { handle } from '../handler.ts';
import { importFile } from '../import-file.ts';
import { turnOf } from '../turn.ts';

export const importCrm = handle(importCrmJob, async ({ import_id }, context) => {
  const { own, row } = context;
  const found = await getCrmImport(own, import_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const { object_kind: kind, request } = found;
  const running = {
    id: import_id,
    organizationId: row.organization_id,
    job: row,
    kind: kind!,
    request: request as ImportRequest,
  };
  return importFile(context, {
    importId: import_id,
    ends: crmImportEnds,
    run: () => (kind === 'deal' ? importDeals : importRecords)(context, running, found.rows_done, turnOf(context)),
    isTaken: (error) => error instanceof LocksOutdated,
    told: (tx, counts) =>
      void tx.emit(crmImported, { import_id, organization_id: tx.organizationId, object_kind: kind!, ...counts }),
  });
});
