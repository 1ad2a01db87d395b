import { expect } from '@jest/globals';
import type { App, Body, Tenant } from './app.ts';
import { objectType, options } from './factories/object-type.ts';
import { waitFor } from './wait-for.ts';

export const kind = 'vehicle';
const plain = ['text', 'long_text', 'number', 'integer', 'boolean', 'date', 'datetime'] as const;
const others = ['select', 'multi_select', 'email', 'phone', 'url', 'currency', 'user', 'json'] as const;
export const types = [...plain, ...others];

/** A type with a field of every type of value and two that are unique, related to contacts and to garages. */
export async function vehicles(app: Pick<App, 'rows'>, { organizationId }: Tenant): Promise<void> {
  await objectType(app, organizationId, {
    kind: 'garage',
    fields: [{ name: 'code', type: 'text', isUnique: true, isIndexed: true }],
  });
  await objectType(app, organizationId, {
    kind,
    fields: [
      ...types.map((type) => ({
        name: `a_${type}`,
        type,
        isIndexed: !['json', 'long_text', 'url'].includes(type),
        options: type.endsWith('select') ? options('red', 'green', 'blue') : [],
      })),
      { name: 'plate', type: 'text', isUnique: true, isIndexed: true },
      { name: 'chassis', type: 'integer', isUnique: true, isIndexed: true },
      { name: 'seats', type: 'integer', defaultValue: 4, min: 1, max: 9 },
    ],
    relations: [
      { name: 'drivers', inverse: 'vehicles', to: 'contact' },
      { name: 'home', inverse: 'parked', to: 'garage', cardinality: 'many_to_one' },
    ],
  });
}

export type Asked = Record<string, string>;
export const lines = (...all: string[]) => `${all.join('\n')}\n`;

/** Files of records, as a client sends them and sees them end. */
export function recordFiles(app: App) {
  const upload = (body: string | Buffer, query: Asked = {}, tenant: Tenant = app.tenant, objectKind = kind) =>
    app.call('crm.records.import', { key: tenant.key, params: { objectKind }, query, body });
  const ended = (id: string, tenant: Tenant = app.tenant): Promise<Body> =>
    waitFor('the import to end', async () => {
      const { data } = (await app.call('crm.imports.get', { key: tenant.key, params: { crmImportID: id } })).body;
      return ['succeeded', 'failed'].includes(data.status) && data;
    });
  return {
    upload,
    ended,
    async imported(body: string | Buffer, query: Asked = {}, tenant: Tenant = app.tenant, objectKind = kind): Promise<Body> {
      const reply = await upload(body, query, tenant, objectKind);
      expect(reply.status).toBe(201);
      return ended(reply.body.data.id, tenant);
    },
    errorsOf: async (id: string): Promise<Body[]> =>
      (await app.call('crm.imports.errors', { params: { crmImportID: id }, query: { limit: 100 } })).body.data,
  };
}
