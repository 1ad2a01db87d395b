import { type Abuse, abuse } from '../abuse.ts';
import { manyColumnsFile, onePersonFile } from '../csv.ts';
import { clients } from '../requests.ts';

/** One file after the other; those that wait are for the product to bound. */
const importing = (what: string, fileOf: (phone: string) => string): Abuse =>
  abuse<{ base: string; apiKey: string; phone: string }>({
    number: 7,
    finding: 'C7',
    what,
    victims: ['get', 'message'],
    hasWorker: true,
    prepare: ({ base, hostile: { tenant } }) => ({ base, apiKey: tenant.apiKey, phone: tenant.people[2]!.phone }),
    attack({ base, apiKey, phone }, tally) {
      const file = fileOf(phone);
      return clients(1, 2_000, tally, () => ({
        base,
        method: 'POST',
        path: '/v1/contacts/import',
        headers: { 'x-api-key': apiKey, 'content-type': 'text/csv' },
        body: file,
      }));
    },
  });

export const onePerson = importing('imports of 20,000 rows of one phone', (phone) => onePersonFile(phone, 20_000));
export const manyColumns = importing('imports with a header of 57,000 columns', (phone) => manyColumnsFile(phone, 57_000));
