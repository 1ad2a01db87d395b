import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { App } from '../support/app.ts';
import { definitions } from '../support/contract.ts';

const path = '/v1/settings/developer/webhooks/endpoints';
const isServed = (method: string, pattern: string) =>
  definitions.some((endpoint) => endpoint.method === method && endpoint.path === pattern);

/** The API, and in its place the list and the deletion of endpoints for as long as it has none. */
export async function startApi(app: App): Promise<{ url: string; close(): void }> {
  async function stoodIn(method: string, url: string): Promise<[status: number, body?: object] | undefined> {
    const { organizationId } = app.tenant;
    const [, id] = new RegExp(`^${path}/([0-9a-f-]{36})$`).exec(url) ?? [];
    if (method === 'GET' && url.startsWith(`${path}?`) && !isServed('get', path)) {
      const items = await app.rows('select id, description from webhook_endpoints where organization_id = $1', [organizationId]);
      return [200, { items, meta: {} }];
    }
    if (method === 'DELETE' && id && !isServed('delete', `${path}/:endpointID`)) {
      await app.rows('delete from webhook_endpoints where organization_id = $1 and id = $2', [organizationId, id]);
      return [204];
    }
    return undefined;
  }

  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const body = await buffer(request);
    const own = await stoodIn(method, url);
    if (own) return void response.writeHead(own[0]).end(own[1] && JSON.stringify(own[1]));
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
    const reply = await fetch(app.base + url, { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) });
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
