import type { Tenant } from '../tenant.ts';

const day = 24 * 3600 * 1000;
const headersOf = ({ apiKey }: Tenant) => ({ 'x-api-key': apiKey, 'content-type': 'application/json' });

async function answered(response: Response): Promise<{ operation_id: string }> {
  if (!response.ok) throw new Error(`recover: ${response.url} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as { operation_id: string };
}

/** The operation's id. */
export async function askToRecover(base: string, tenant: Tenant, endpointId: string): Promise<string> {
  const response = await fetch(`${base}/v1/settings/developer/webhooks/endpoints/${endpointId}/recover`, {
    method: 'POST',
    headers: headersOf(tenant),
    body: JSON.stringify({ since: new Date(Date.now() - day).toISOString() }),
  });
  return (await answered(response)).operation_id;
}

export async function callOff(base: string, tenant: Tenant, operationId: string) {
  await answered(await fetch(`${base}/v1/operations/${operationId}/cancel`, { method: 'POST', headers: headersOf(tenant) }));
}
