import { recipientsOf } from '../../src/campaigns/recipients/export/source.ts';
import { getExport } from '../../src/contacts/export/exports.ts';
import { exportContactsJob } from '../../src/contacts/export/jobs.ts';
import { type Export, runExport } from '../../src/contacts/export/run.ts';
import { isTimedOut } from '../../src/platform/database/errors.ts';
import { AppError } from '../../src/platform/errors.ts';
import { contactsExported } from '../../src/platform/events/catalogue.ts';
import { Superseded } from '../../src/platform/ledger/superseded.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from '../turn.ts';

export const exportContacts = handle(exportContactsJob, async ({ export_id }, context) => {
  const { own, row, database } = context;
  const found = await getExport(own, export_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const running: Export = { id: export_id, organizationId: row.organization_id, job: row };
  try {
    const sourceOf = found.campaign_id === null ? undefined : recipientsOf(found.campaign_id);
    const outcome = await runExport(database, running, turnOf(context), { sourceOf });
    if (outcome === 'paused') return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    // The request itself may be too slow: an export that never fails would delay other exports and erasures.
    if (isTimedOut(error))
      return context.again({ code: 'internal', message: 'It takes the database too long to read them: export fewer at once' });
    if (error instanceof AppError && error.status < 500) return context.fail({ code: error.code, message: error.message });
    throw error;
  }
  return context.finish((tx) => endExport(tx.own, export_id));
});

/** SQL: an update that returns its counts. Deletes request and position too: a search may contain personal data. */
const endStatement = `
  update contact_exports
     set state = 'succeeded',
         request = null,
         keys = null,
         position = null,
         finished_at = clock_timestamp(),
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')
  returning rows_done as rows`;

async function endExport(tx: OwnTx, id: string) {
  const [ended] = await tx.sql<{ rows: number }>(endStatement, [id]);
  if (!ended) return;
  // Only this job emits events of the export, so the lock is always free.
  await tx.lockNew('contact_export', id);
  tx.emit(contactsExported, { export_id: id, organization_id: tx.organizationId, rows: ended.rows });
}
