import type { Database } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
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
export async function removeEndpoints(database: Database, organizationId: string, own?: string) {
  await database.transaction(async (em) => {
    const left = await query<{ id: string }>(
      em,
      `select id from webhook_endpoints where organization_id = $1 and description = $2 and (id = $3::uuid or created_at < now() - interval '2 min')`,
      [organizationId, description, own ?? null],
    );
    const ids = left.map(({ id }) => id);
    await query(
      em,
      `delete from jobs where subject_type = 'webhook_delivery' and subject_id in (select id from webhook_deliveries where organization_id = $1 and endpoint_id = any($2))`,
      [organizationId, ids],
    );
    await query(em, `delete from pools where id = any($1)`, [ids.map((id) => `endpoint:${id}`)]);
    await query(em, 'delete from webhook_endpoints where organization_id = $1 and id = any($2)', [organizationId, ids]);
  });
}
