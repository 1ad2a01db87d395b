import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { isUuid, uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type Secrets, sha256 } from '../platform/secrets.ts';
import { type Connection, type ConnectionKind, ConnectionWebhook } from './connection.entity.ts';
import { applyConnectionWebhookJob } from './jobs.ts';
import { connectionPool } from './use.ts';

type Row = RowOf<typeof Connection, 'organization_id' | 'provider' | 'webhook_secret'>;

/** Without a secret nothing it is sent can be believed. */
export type Receiver = Pick<Row, 'organization_id' | 'provider'> & { secret?: string };

/** Undefined for a deleted one and one of another kind too. */
export async function receiverOf(
  source: Source,
  id: string,
  kind: ConnectionKind,
  secrets: Secrets,
): Promise<Receiver | undefined> {
  if (!isUuid(id)) return undefined;
  // SQL: the provider names the connection; which organization it belongs to is read here (bench: payment webhook).
  const [row] = await query<Row>(
    source,
    `select organization_id, provider, webhook_secret
       from connections
      where id = $1 and kind = $2 and deleted_at is null`,
    [id, kind],
  );
  if (!row) return undefined;
  const { webhook_secret: sealed, ...head } = row;
  return { ...head, ...(sealed && { secret: secrets.open(sealed) }) };
}

export type Arrived = { organizationId: string; connectionId: string; externalId?: string; body: Buffer };

/** SQL: a part of the ledger's statement, so that storing is one statement in all (bench: payment webhook). One that is repeated is there already. */
const storePart: PartText = (id, organization, connection, externalId, body) => `stored as (
        insert into connection_webhooks (id, organization_id, connection_id, external_id, body)
        values (${id}::uuid, ${organization}::uuid, ${connection}::uuid, ${externalId}::text, ${body}::bytea)
        on conflict on constraint connection_webhooks_external do nothing)`;

/** Kept with its job. The job of a repeated one finds no row of its id, and ends. */
export const acceptConnectionWebhook = (transact: Transact, { organizationId, connectionId, externalId, body }: Arrived) =>
  transact({ isOneTrip: true }, async (tx) => {
    const id = uuidv7();
    tx.enqueue(applyConnectionWebhookJob, organizationId, { webhook_id: id }, { pool: connectionPool(connectionId) });
    const external = externalId ?? `sha256:${sha256(body).toString('hex')}`;
    tx.include({ text: storePart, params: [id, organizationId, connectionId, external, body] });
  });

/** Undefined: it was repeated, or is applied already. */
export const waitingWebhook = statement((select, { id }: { id: string }) =>
  select(ConnectionWebhook).select(['id', 'connection_id', 'body']).where('id', '=', id).where('status', '=', 'received'),
);

/** SQL: by the database's clock; a purge looks at when it was applied. `unknown` is kept as long: nothing is done with it. */
export async function endWebhook(own: OwnTx, id: string, status: 'applied' | 'unknown'): Promise<void> {
  await own.sql(
    `update connection_webhooks
        set status = $3, applied_at = clock_timestamp()
      where organization_id = $1 and id = $2 and status = 'received'`,
    [id, status],
  );
}
