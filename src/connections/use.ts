import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError } from '../platform/errors.ts';
import { Connection, type ConnectionKind } from './connection.entity.ts';

const columns = ['id', 'kind', 'provider', 'status', 'settings'] as const;
export type ConnectionHead = RowOf<typeof Connection, (typeof columns)[number]>;

/** The rate and the width of its calls. */
export const connectionPool = (id: string) => `connection:${id}`;

const byId = statement((select, { id, kind }: { id: string; kind: ConnectionKind }) =>
  select(Connection).select(columns).where('id', '=', id).where('kind', '=', kind).where('deleted_at', 'is', null),
);

const byDefault = statement((select, { kind }: { kind: ConnectionKind }) =>
  select(Connection).select(columns).where('kind', '=', kind).where('is_default', '=', true).where('deleted_at', 'is', null),
);

/** The one named, else the default of its kind. Throws 422 `connection_required` without one, 409 `connection_unavailable` unless connected. */
export async function usableConnection(
  own: Own,
  { kind, id, field = 'connection_id' }: { kind: ConnectionKind; id?: string; field?: string },
): Promise<ConnectionHead> {
  const [connection] = id ? await byId(own, { id, kind }) : await byDefault(own, { kind });
  if (!connection) {
    const message = id ? `No ${kind} connection has this id` : `Connect a ${kind} account first, and make it the default`;
    throw new AppError('connection_required', message, {
      details: [{ field, location: 'body', code: 'connection_required', message, ...(id && { value: id }) }],
    });
  }
  if (connection.status !== 'connected')
    throw new AppError('connection_unavailable', `The ${kind} connection is ${connection.status}`, {
      details: [{ code: connection.status, message: 'Give the connection new credentials', value: connection.id }],
    });
  return connection;
}
