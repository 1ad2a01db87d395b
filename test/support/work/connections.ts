import { Connection, ConnectionWebhook } from '../../../src/connections/connection.entity.ts';
import type { App } from '../app.ts';
import { rowsOf } from './rows.ts';

export const connectionRows = rowsOf(Connection);
export const connectionWebhookRows = rowsOf(ConnectionWebhook);

/** The status that the API shows. */
export async function statusOfConnection(app: App, connectionID: string, key = app.tenant.key): Promise<string> {
  return (await app.call('connections.get', { key, params: { connectionID } })).body.status;
}
