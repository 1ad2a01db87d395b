import type { Remains } from '../../src/contacts/erasure/erase.ts';
import { forgetInFiles } from '../../src/contacts/erasure/forget-in-files.ts';
import { eraseContactJob } from '../../src/contacts/erasure/jobs.ts';
import { dropReceived, scrubEvents } from '../../src/contacts/erasure/scrub.ts';
import { query } from '../../src/platform/database/query.ts';
import { handle } from '../handler.ts';

/** A file takes its time, and each look searches every one that stands ready. */
const fileMs = 5_000;

type Erasure = { organization_id: string; addresses: string; created_at: string };

/** Looks again and again until a look finds nothing more to do; then even the addresses it looked for go. */
export const eraseContactRest = handle(eraseContactJob, async ({ erasure_id }, context) => {
  const { database, ledger, config } = context;
  const [erasure] = await query<Erasure>(
    database,
    'select organization_id, addresses, created_at from contact_erasures where id = $1',
    [erasure_id],
  );
  if (!erasure) return context.finish();
  const remains = JSON.parse(context.secrets.open(erasure.addresses)) as Remains;
  const changed = await scrubEvents(ledger.transact, erasure.organization_id, remains);
  const left = await dropReceived(ledger.transact, erasure.organization_id, remains, erasure.created_at);
  const writing = await forgetInFiles(database, ledger.transact, erasure.organization_id, remains.ids, erasure.created_at);
  if (left > 0) return context.wait(1_000, { reason: 'the provider said something that is not applied yet' });
  if (writing > 0) return context.wait(fileMs, { reason: 'an import or export is under way that may hold him' });
  if (changed > 0)
    return context.wait(config.webhookTimeoutMs + 1_000, { reason: 'a delivery may be under way with what it told' });
  return context.finish({
    text: 'forgotten as (delete from contact_erasures where id = $1 and exists (select 1 from ended))',
    params: [erasure_id],
  });
});
