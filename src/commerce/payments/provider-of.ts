import { Connection } from '../../connections/connection.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';

const live = statement((select, { id }: { id: string }) =>
  select(Connection).select(['provider', 'status']).where('id', '=', id).where('deleted_at', 'is', null),
);

/** The provider of a connection that can be asked, or will be once it has new credentials. Throws 409 for a deleted one. */
export async function providerOf(own: Own, connectionId: string): Promise<string> {
  const [row] = await live(own, { id: connectionId });
  if (!row) {
    const message =
      'The connection of this payment was deleted: give the money back at the provider yourself, then say so by a refund with `by_hand`';
    throw new AppError('connection_unavailable', message, { details: [{ code: 'deleted', message, value: connectionId }] });
  }
  return row.provider;
}
