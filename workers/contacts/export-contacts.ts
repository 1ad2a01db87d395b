import { Superseded } from '../../src/contacts/csv/superseded.ts';
import { getExport } from '../../src/contacts/export/exports.ts';
import { exportContactsJob } from '../../src/contacts/export/jobs.ts';
import { type Export, runExport } from '../../src/contacts/export/run.ts';
import { isTimedOut } from '../../src/platform/database/errors.ts';
import { AppError } from '../../src/platform/errors.ts';
import { contactsExported } from '../../src/platform/events/catalogue.ts';
import type { Tx } from '../../src/platform/ledger/tx.ts';
import { handle } from '../handler.ts';
import { leftToAnother, paused, turnOf } from './turn.ts';

export const exportContacts = handle(exportContactsJob, async ({ export_id }, context) => {
  const { em, row, database } = context;
  const found = await getExport(em, row.organization_id, export_id);
  if (found.state !== 'queued' && found.state !== 'running') return context.finish();
  const own: Export = { id: export_id, organizationId: row.organization_id, job: row };
  try {
    const outcome = await runExport(database, own, turnOf(context));
    if (outcome === 'paused') return paused(context);
  } catch (error) {
    if (error instanceof Superseded) return leftToAnother(context);
    // By what was asked for as likely as by a busy hour: an export that tried for ever would keep others, and who is to be forgotten, waiting.
    if (isTimedOut(error))
      return context.again({ code: 'internal', message: 'It takes the database too long to read them: export fewer at once' });
    if (error instanceof AppError && error.status < 500) return context.fail({ code: error.code, message: error.message });
    throw error;
  }
  return context.finish((tx) => endExport(tx, own));
});

/** What was asked for, and how far it was, has done its work: a search may name somebody. */
async function endExport(tx: Tx, { id, organizationId }: Export) {
  const [ended] = await tx.query<{ rows: number }>(
    `update contact_exports set state = 'succeeded', request = null, keys = null, position = null, finished_at = clock_timestamp(), updated_at = clock_timestamp()
      where organization_id = $1 and id = $2 and state in ('queued', 'running') returning rows_done as rows`,
    [organizationId, id],
  );
  if (!ended) return;
  // Nobody else speaks of an export: its lock waits for no one.
  await tx.lockNew('contact_export', id);
  tx.emit(contactsExported, { export_id: id, organization_id: organizationId, rows: ended.rows }, { organizationId });
}
