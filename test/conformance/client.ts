import { WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { type House, token } from '../sandbox/house.ts';

/** The client knows plain objects by their prototype, and those that fetch makes have that of another realm under jest. */
const fetchInThisRealm: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  return Object.assign(response, { json: async () => JSON.parse(await response.text()) });
};

/** A client library we did not write, pointed at the sandbox. */
export const clientFor = (house: Pick<House, 'url'>, accessToken = token) =>
  new WhatsAppClient({ baseUrl: house.url, graphVersion: 'v23.0', accessToken, fetch: fetchInThisRealm });

/** A document of a flow as its author writes it: the client takes names of its own, and writes the provider's. */
export function authored(value: unknown): Record<string, unknown> {
  const named = (name: string) =>
    name === '__example__' ? name : name.replace(/[-_]([a-z])/g, (_, letter) => letter.toUpperCase());
  const text = JSON.stringify(value, (_name, one) =>
    one !== null && typeof one === 'object' && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).map(([name, inside]) => [named(name), inside]))
      : one,
  );
  return JSON.parse(text);
}

/** Its own affairs, which ask nothing of the provider. */
const internals = ['constructor', '__setLastDeployedHash', 'buildCacheKey', 'cleanQuery'];
const resources = ['messages', 'media', 'templates', 'phoneNumbers', 'calls', 'conversations', 'contacts', 'flows'] as const;

/** Every call the client offers, as `resource.method` or `resource.part.method`. */
export function callsOf(client: WhatsAppClient): string[] {
  return resources.flatMap((name) => {
    const resource = client[name] as object;
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter((method) => !internals.includes(method));
    const parts = Object.entries(resource).flatMap(([part, value]) => methodsIn(value).map((method) => `${part}.${method}`));
    return [...methods, ...parts].map((method) => `${name}.${method}`);
  });
}

/** Only plain objects of functions are a part of a resource: `phoneNumbers.settings`. */
function methodsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([method, one]) => (typeof one === 'function' ? [method] : []));
}
