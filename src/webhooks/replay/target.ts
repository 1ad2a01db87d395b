import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { WebhookEndpoint } from '../endpoint.entity.ts';

const endpointById = statement((select, { id }: { id: string }) =>
  select(WebhookEndpoint).select(['event_types', 'enabled']).where('id', '=', id),
);

/** The endpoint that is delivered to; undefined: it is not there, or no more. */
export async function findTarget(own: Own, id: string) {
  const [endpoint] = await endpointById(own, { id });
  return endpoint;
}
