import { abuse } from '../abuse.ts';
import { clients, type Request } from '../requests.ts';

const mebibyte = 1024 * 1024;

/** As many items as make a JSON text of a little under 1 MiB. */
function filled(begin: string, item: (number: number) => string, end: string): Buffer {
  const items: string[] = [];
  for (let length = begin.length + end.length, number = 0; ; number += 1) {
    const next = item(number);
    length += next.length + 1;
    if (length > mebibyte) break;
    items.push(next);
  }
  return Buffer.from(begin + items.join(',') + end);
}

export const largeBodies = abuse<{ base: string; apiKey: string }>({
  number: 1,
  finding: 'B1',
  what: 'bodies of 1 MiB: unknown keys at login; scopes and identifiers with a key',
  victims: ['get'],
  hasWorker: false,
  prepare: ({ base, hostile }) => ({ base, apiKey: hostile.tenant.apiKey }),
  attack({ base, apiKey }, tally) {
    const json = { 'content-type': 'application/json' };
    const shared = { base, method: 'POST' };
    const bodies: Request[] = [
      { ...shared, path: '/v1/auth/login', headers: json, body: filled('{', (number) => `"${number.toString(36)}":0`, '}') },
      {
        ...shared,
        path: '/v1/api-keys',
        headers: { ...json, 'x-api-key': apiKey },
        body: filled('{"name":"x","scopes":[', () => '0', ']}'),
      },
      {
        ...shared,
        path: '/v1/contacts/lookup',
        headers: { ...json, 'x-api-key': apiKey },
        body: filled('{"identifiers":[', () => '{}', ']}'),
      },
    ];
    return clients(bodies.length, 1_000, tally, (client) => bodies[client]!);
  },
});
