import type { Database } from '../../src/platform/database/database.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import { Pool } from '../../src/platform/ledger/jobs.entity.ts';
import { endpointPool } from '../../src/platform/ledger/pools.ts';
import { WebhookEndpoint } from '../../src/webhooks/endpoint.entity.ts';
import { request, type Stage } from './stage.ts';

const path = '/v1/settings/developer/webhooks/endpoints';
const description = 'npm run demo';
const event_types = ['message.sent', 'message.status_update', 'message.failed', 'message.new'];

export async function createEndpoint(stage: Stage): Promise<string> {
  const { receiver } = stage;
  const { id, secret } = await request<{ id: string; secret: string }>(
    stage,
    path,
    201,
    // In order, so that the statuses of a message read as they happened.
    { method: 'POST', body: { url: receiver.url, event_types, description, ordering: 'per_subject' } },
    ({ status }) => ({ what: `${status}`, note: 'with a secret that signs every webhook' }),
  );
  receiver.verifyWith(secret);
  return id;
}

/**
 * The API cannot delete an endpoint yet, and one without a receiver would be tried for three days. What a run that was killed has left
 * goes too; a run beside this one keeps its own.
 */
export async function removeEndpoints(database: Database, organizationId: string, current?: string) {
  await database.transaction(async (em) => {
    const own = ownRows(em, organizationId);
    // SQL: what the API cannot delete yet, with its jobs and its pool.
    const left = await own.sql<RowOf<typeof WebhookEndpoint, 'id'>>(
      `select id
         from webhook_endpoints
        where organization_id = $1
          and description = $2
          and (id = $3::uuid or created_at < now() - interval '2 min')`,
      [description, current ?? null],
    );
    const ids = left.map(({ id }) => id);
    // SQL: jobs are found by the deliveries that they are about.
    await own.sql(
      `delete from jobs
        where organization_id = $1
          and subject_type = 'webhook_delivery'
          and subject_id in (select id from webhook_deliveries where organization_id = $1 and endpoint_id = any($2))`,
      [ids],
    );
    await em.nativeDelete(Pool, { organization_id: organizationId, id: { $in: ids.map(endpointPool) } });
    await em.nativeDelete(WebhookEndpoint, { organization_id: organizationId, id: { $in: ids } });
  });
}
