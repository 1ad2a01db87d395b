import { importRecipients as runImport } from '../../src/campaigns/recipients/import/run.ts';
import type { RecipientsRequest } from '../../src/imports/import.entity.ts';
import { getRecipientsImport } from '../../src/imports/imports.ts';
import { crmImportEnds, importRecipientsJob } from '../../src/imports/jobs.ts';
import { campaignRecipientsImported } from '../../src/platform/events/campaign-events.ts';
import { LocksOutdated } from '../../src/platform/ledger/locks.ts';
import { handle } from '../handler.ts';
import { importFile } from '../import-file.ts';
import { turnOf } from '../turn.ts';

export const importRecipients = handle(importRecipientsJob, async ({ import_id }, context) => {
  const { own, row } = context;
  const found = await getRecipientsImport(own, import_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const request = found.request as RecipientsRequest;
  const running = { id: import_id, organizationId: row.organization_id, job: row, request };
  return importFile(context, {
    importId: import_id,
    ends: crmImportEnds,
    run: () => runImport(context, running, found.rows_done, turnOf(context)),
    isTaken: (error) => error instanceof LocksOutdated,
    told: (tx, counts) =>
      void tx.emit(campaignRecipientsImported, {
        import_id,
        campaign_id: request.campaign_id,
        organization_id: tx.organizationId,
        ...counts,
      }),
  });
});
