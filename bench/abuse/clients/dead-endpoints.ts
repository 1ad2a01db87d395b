import { createSilentEndpoints } from '../../endpoints.ts';
import { abuse } from '../abuse.ts';
import { clients } from '../requests.ts';

const endpoints = 20;

/** Each change of a contact is an event for all of them. */
export const deadEndpoints = abuse<{ base: string; apiKey: string; contactIds: string[] }>({
  number: 5,
  finding: 'C5',
  what: `${endpoints} endpoints that never answer, an event for each ten times a second`,
  victims: ['webhook'],
  hasWorker: true,
  async prepare({ base, hostile: { tenant } }) {
    await createSilentEndpoints(base, tenant.apiKey, endpoints);
    return { base, apiKey: tenant.apiKey, contactIds: tenant.people.map(({ contactId }) => contactId) };
  },
  attack: ({ base, apiKey, contactIds }, tally) =>
    clients(2, 200, tally, (_, number) => ({
      base,
      method: 'PATCH',
      path: `/v1/contacts/${contactIds[number % contactIds.length]}`,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Name ${number} ${Date.now()}` }),
    })),
});
