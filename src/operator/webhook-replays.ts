import type { Database } from '../platform/database/database.ts';
import { ownRows } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { asTenant } from '../platform/ledger/tenant.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Delivery } from '../webhooks/endpoint.entity.ts';
import { type Replayed, replayDelivery, replayOf } from '../webhooks/replay/one.ts';
import { askForReplay, type ReplayRequest, replayLocks } from '../webhooks/replay/request.ts';
import { record } from './record.ts';

type Deps = { database: Database; transact: Transact };

/** SQL: an operator names a record of any organization: read over all of them, on nobody's path. */
const deliveryOwner = `
  select organization_id
    from webhook_deliveries
   where id = $1`;
const endpointOwner = `
  select organization_id
    from webhook_endpoints
   where id = $1`;

async function ownerOf(database: Database, statement: string, id: string, subject: string): Promise<string> {
  const [row] = await query<RowOf<typeof Delivery, 'organization_id'>>(database, statement, [id]);
  if (!row) throw notFound(subject);
  return row.organization_id;
}

/** Throws 404. */
export async function replayOneDelivery({ database, transact }: Deps, id: string): Promise<Replayed> {
  const organizationId = await ownerOf(database, deliveryOwner, id, 'Webhook delivery');
  return transact(replayOf(ownRows(database, organizationId), id), async (tx) => {
    const replayed = await replayDelivery(tx.of(organizationId), id);
    const details = { endpoint_id: replayed.endpoint_id };
    await record(tx, { organizationId, action: 'webhooks.deliveries.replay', subject: `webhook_delivery:${id}`, details });
    return replayed;
  });
}

/** Throws 404 and 422, as the API does. */
export async function replayDeliveries({ database, transact }: Deps, request: ReplayRequest, retentionDays: number) {
  const { endpointId, kind, since, until } = request;
  const organizationId = await ownerOf(database, endpointOwner, endpointId, 'Webhook endpoint');
  return transact({ locks: replayLocks(request) }, async (tx) => {
    const { types, ...asked } = await askForReplay(asTenant(tx, organizationId), 'cli', request, retentionDays);
    await record(tx, {
      organizationId,
      action: `webhooks.endpoints.${kind}`,
      subject: `webhook_endpoint:${endpointId}`,
      details: {
        operation_id: asked.operationId,
        since: since?.toISOString() ?? null,
        until: until?.toISOString() ?? null,
        event_types: types,
      },
    });
    return asked;
  });
}
