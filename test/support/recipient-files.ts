import { expect } from '@jest/globals';
import type { App, Body, Tenant } from './app.ts';
import { waitFor } from './wait-for.ts';

type Options = { query?: Record<string, string | boolean>; tenant?: Tenant };

/** Files of recipients, as a client sends them and sees them end. */
export function recipientFiles(app: App) {
  const upload = (campaignID: string, body: string | Buffer, { query = {}, tenant = app.tenant }: Options = {}) =>
    app.call('campaigns.recipients.import', {
      key: tenant.key,
      params: { campaignID },
      query: query as Record<string, string>,
      body,
    });
  const get = (campaignImportID: string, { key }: Tenant = app.tenant) =>
    app.call('campaigns.imports.get', { key, params: { campaignImportID } });
  const ended = (id: string): Promise<Body> =>
    waitFor('the import to end', async () => {
      const { data } = (await get(id)).body;
      return ['succeeded', 'failed'].includes(data.status) && data;
    });
  return {
    upload,
    get,
    ended,
    async imported(campaignID: string, body: string | Buffer, options: Options = {}): Promise<Body> {
      const reply = await upload(campaignID, body, options);
      expect(reply.status).toBe(201);
      return ended(reply.body.data.id);
    },
    async errorsOf(campaignImportID: string): Promise<[number, string, string][]> {
      const query = { limit: 100 } as unknown as Record<string, string>;
      const { body } = await app.call('campaigns.imports.errors', { params: { campaignImportID }, query });
      return body.data.map(({ line, column, code }: Body) => [line, column, code]);
    },
  };
}
