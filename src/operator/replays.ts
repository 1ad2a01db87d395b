import { notFound } from '../platform/errors.ts';
import { retryJob } from '../platform/ledger/retry.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { applyProviderWebhookJob } from '../provider-webhooks/jobs.ts';
import { record } from './record.ts';

/** Any organization's failed job. False: it has not failed. Throws 404. */
export const replayJob = (transact: Transact, id: string): Promise<boolean> =>
  retryJob(transact, id, undefined, (tx, job) =>
    record(tx, {
      organizationId: job.organization_id,
      action: 'jobs.retry',
      subject: `job:${id}`,
      details: { name: job.name, ...job.payload },
    }),
  );

/** A broken body may have ended without a failed job, so its retry is a job of its own. False: it is not broken. Throws 404. */
export const replayProviderWebhook = (transact: Transact, id: string): Promise<boolean> =>
  transact({}, async (tx) => {
    const [row] = await tx.query<{ organization_id: string; was: string }>(
      `update provider_webhooks set state = case when state = 'broken' then 'received' else state end, errors = case when state = 'broken' then null else errors end
        where id = $1 returning organization_id, old.state as was`,
      [id],
    );
    if (!row) throw notFound('Provider webhook');
    if (row.was !== 'broken') return false;
    tx.enqueue(applyProviderWebhookJob, row.organization_id, { webhook_id: id });
    await record(tx, {
      organizationId: row.organization_id,
      action: 'provider-webhooks.retry',
      subject: `provider_webhook:${id}`,
    });
    return true;
  });
