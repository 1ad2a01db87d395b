import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { list } from '../platform/listing/paging.ts';
import { Connection, type ConnectionProvider } from './connection.entity.ts';

const columns = [
  'id',
  'kind',
  'provider',
  'name',
  'status',
  'account',
  'settings',
  'is_default',
  'last_ok_at',
  'last_error',
  'last_error_at',
  'created_at',
  'updated_at',
] as const;
export type ConnectionRow = RowOf<typeof Connection, (typeof columns)[number]>;

export const listConnections = list((select) => select(Connection).select(columns).where('deleted_at', 'is', null));

const connectionById = statement((select, { id }: { id: string }) =>
  select(Connection).select(columns).where('id', '=', id).where('deleted_at', 'is', null),
);

/** Throws 404, for a deleted one too. */
export async function readConnection(own: Own, id: string): Promise<ConnectionRow> {
  const [row] = await connectionById(own, { id });
  if (!row) throw notFound('Connection');
  return row;
}

const thereOnly = statement((select, { id }: { id: string }) =>
  select(Connection).select('id').where('id', '=', id).where('deleted_at', 'is', null),
);

/** It was not deleted. */
export const isConnectionThere = async (own: Own, id: string): Promise<boolean> => (await thereOnly(own, { id })).length > 0;

const idOfAccount = statement((select, { provider, account }: { provider: ConnectionProvider; account: string }) =>
  select(Connection)
    .select('id')
    .where('provider', '=', provider)
    .where('account', '=', account)
    .where('deleted_at', 'is', null)
    .orderBy('created_at')
    .limit(1),
);

export async function connectionOfAccount(own: Own, provider: ConnectionProvider, account: string): Promise<string | undefined> {
  const [row] = account === '' ? [] : await idOfAccount(own, { provider, account });
  return row?.id;
}
