import { invalidField } from '../platform/errors.ts';
import type { Secrets } from '../platform/secrets.ts';
import { maxHeaders, mergedHeaders, openHeaders, sealHeaders } from '../webhooks/endpoints.ts';
import type { FlowSummary } from './flow-row.ts';

/** `headers` are merged by name; null removes one. null in place of all: the flow asks no server of the client's. */
export type DataExchangeChange = { url?: string; headers?: Record<string, string | null> | null } | null;

type Columns = Pick<FlowSummary, 'data_exchange_url' | 'data_exchange_headers'>;

/** Throws 422. */
export function dataExchangeColumns(change: DataExchangeChange, present: Columns, secrets: Secrets): Columns {
  if (change === null) return { data_exchange_url: null, data_exchange_headers: null };
  const url = change.url ?? present.data_exchange_url;
  if (url === null) throw invalidField('data_exchange.url', 'data_exchange.url is required', 'any.required');
  if (change.headers === undefined) return { data_exchange_url: url, data_exchange_headers: present.data_exchange_headers };
  const merged = mergedHeaders(openHeaders(secrets, present.data_exchange_headers), change.headers);
  if (!merged) throw invalidField('data_exchange.headers', `A flow has at most ${maxHeaders} headers of its own`, 'limit');
  return { data_exchange_url: url, data_exchange_headers: sealHeaders(secrets, merged) };
}

/** Values of headers are not shown. */
export const shownDataExchange = ({ data_exchange_url: url, data_exchange_headers: sealed }: Columns, secrets: Secrets) =>
  url === null ? null : { url, header_names: Object.keys(openHeaders(secrets, sealed)) };
