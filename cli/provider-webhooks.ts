import { notFound } from '../src/errors.ts';
import type { Tx } from '../src/ledger/transact.ts';
import { applyProviderWebhookJob } from '../src/provider-webhooks/jobs.ts';
import { idArgument } from './arguments.ts';
import { withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';

export async function retryProviderWebhooksCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'a provider webhook'));
  await withLedger((ledger) =>
    eachOf(ids, async (id) =>
      (await ledger.transact({}, (tx) => applyAgain(tx, id)))
        ? `Provider webhook ${id} is applied again`
        : `Provider webhook ${id} is not broken: nothing to do`,
    ),
  );
}

/** A broken body may have ended without a failed job, so its retry is a job of its own. */
async function applyAgain(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.query<{ organization_id: string; was: string }>(
    `update provider_webhooks set state = case when state = 'broken' then 'received' else state end, errors = case when state = 'broken' then null else errors end
      where id = $1 returning organization_id, old.state as was`,
    [id],
  );
  if (!row) throw notFound('Provider webhook');
  if (row.was !== 'broken') return false;
  tx.enqueue(applyProviderWebhookJob, row.organization_id, { webhook_id: id });
  return true;
}
