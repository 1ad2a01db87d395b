import { type TablesOf, tables } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { retryOf, reviveJob } from '../platform/ledger/retry.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { applyProviderWebhookJob } from '../provider-webhooks/jobs.ts';
import { ProviderWebhook } from '../provider-webhooks/provider-webhook.entity.ts';
import { record } from './record.ts';

/** A job of any organization. False: it has not failed. Throws 404. */
export const replayJob = (transact: Transact, id: string): Promise<boolean> =>
  transact(retryOf(transact, id), async (tx, { organization_id: organizationId, name, payload }) => {
    const isRevived = await reviveJob(tx, id);
    const details = { name, ...payload };
    if (isRevived) await record(tx, { organizationId, action: 'jobs.retry', subject: `job:${id}`, details });
    return isRevived;
  });

/** A broken body may have no failed job, so its retry is a new job. False: it is not broken. Throws 404. */
export const replayProviderWebhook = (transact: Transact, id: string): Promise<boolean> =>
  transact({}, async (tx) => {
    const webhook = await tables<TablesOf<typeof ProviderWebhook>>(tx.em)
      .selectFrom('provider_webhooks')
      .select(['organization_id', 'state'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!webhook) throw notFound('Provider webhook');
    if (webhook.state !== 'broken') return false;
    const organizationId = webhook.organization_id;
    const own = tx.of(organizationId);
    await own.update(ProviderWebhook, { id }, { state: 'received', errors: null });
    own.enqueue(applyProviderWebhookJob, { webhook_id: id });
    await record(tx, { organizationId, action: 'provider-webhooks.retry', subject: `provider_webhook:${id}` });
    return true;
  });
