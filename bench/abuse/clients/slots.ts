import { abuse } from '../abuse.ts';
import { type DearCalendar, openDearCalendar, people, services } from '../dear-calendar.ts';
import { clients, together, withKey } from '../requests.ts';

const [searches, customers] = [40, 20];

/** A month with both changes of the clock, of Europe and of America: those days are the dear ones. */
function nextSpring(): string {
  const year = new Date().getUTCFullYear() + 1;
  return `${new URLSearchParams({ from: `${year}-03-05`, to: `${year}-04-04` })}`;
}

export const slots = abuse<{ base: string; apiKey: string } & DearCalendar>({
  number: 10,
  finding: 'D10',
  what: `${searches} searches at once for a month of free times of ${services} services of ${people} people each, and ${customers} from a customer's page`,
  victims: ['get'],
  hasWorker: false,
  prepare: async ({ base, kanal, hostile: { tenant } }) => ({
    base,
    apiKey: tenant.apiKey,
    ...(await openDearCalendar({ ...kanal, tenant })),
  }),
  attack({ base, apiKey, serviceIds, token }, tally) {
    const month = nextSpring();
    return together(
      clients(searches, 500, tally, (_, number) =>
        withKey(
          { base, apiKey },
          'store',
          'GET',
          `/v1/commerce/services/${serviceIds[number % serviceIds.length]}/slots?${month}`,
        ),
      ),
      clients(customers, 500, tally, () => ({
        base,
        method: 'GET',
        path: `/v1/checkout/${token}/slots?${month}`,
        headers: {},
        nameFor: (status) => `customer ${status}`,
      })),
    );
  },
});
