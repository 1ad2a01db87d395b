import { Connection, ConnectionWebhook } from '../../../src/connections/connection.entity.ts';
import { rowsOf } from './rows.ts';

export const connectionRows = rowsOf(Connection);
export const connectionWebhookRows = rowsOf(ConnectionWebhook);
