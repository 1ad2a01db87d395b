import type pg from 'pg';
import { silentReceiver } from './silent-receiver.ts';

type Endpoint = { id: string; secret: string };

/** Over HTTP, so that it gets what the product gives an endpoint. */
export async function createEndpoint(base: string, apiKey: string, url: string, eventTypes: string[]): Promise<Endpoint> {
  const response = await fetch(`${base}/v1/settings/developer/webhooks/endpoints`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_types: eventTypes }),
  });
  if (!response.ok) throw new Error(`An endpoint was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Endpoint;
}

/** Of receivers that never answer, each told of changed contacts. Their ids. */
export async function createSilentEndpoints(base: string, apiKey: string, count: number): Promise<string[]> {
  const { url } = await silentReceiver();
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1)
    ids.push((await createEndpoint(base, apiKey, `${url}/${number}`, ['contact.updated'])).id);
  return ids;
}

/** Only these of the organization's endpoints are told of changed contacts from now on; the others of nothing. */
export async function listenOnly(sql: pg.Pool, organizationId: string, ids: string[]) {
  await sql.query(
    `update webhook_endpoints
        set event_types = case when id = any($2) then '{contact.updated}'::text[] else '{}' end
      where organization_id = $1`,
    [organizationId, ids],
  );
}
