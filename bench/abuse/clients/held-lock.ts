import pg from 'pg';
import { contactLock } from '../../../src/contacts/events.ts';
import { lockStatements } from '../../../src/platform/ledger/locks.ts';
import { abuse } from '../abuse.ts';
import { onePersonFile } from '../csv.ts';
import { clients, together } from '../requests.ts';

/** Of each of the two contacts. */
const patches = 20;
const rows = 4_000;

/** A file of one person holds that contact's lock; a session of the database holds another's, so that the wait is there without the file. */
export const heldLock = abuse<{ base: string; apiKey: string; databaseUrl: string; contactIds: string[]; phone: string }>({
  number: 2,
  finding: 'B2',
  what: `${patches} PATCHes of a contact whose lock an import of ${rows} rows of one phone holds, ${patches} of one whose lock a session holds`,
  victims: ['get'],
  hasWorker: true,
  prepare: ({ base, kanal, hostile: { tenant } }) => ({
    base,
    apiKey: tenant.apiKey,
    databaseUrl: kanal.env.DATABASE_URL!,
    contactIds: [tenant.people[0]!.contactId, tenant.people[1]!.contactId],
    phone: tenant.people[0]!.phone,
  }),
  async attack({ base, apiKey, databaseUrl, contactIds, phone }, tally) {
    const session = new pg.Client({ connectionString: databaseUrl, application_name: 'bench-hostile' });
    session.on('error', () => undefined);
    await session.connect();
    const file = onePersonFile(phone, rows);
    const headers = { 'x-api-key': apiKey };
    const importing = clients(1, 2_000, tally, () => ({
      base,
      method: 'POST',
      path: '/v1/contacts/import',
      headers: { ...headers, 'content-type': 'text/csv' },
      body: file,
      nameFor: (status) => `import ${status}`,
    }));
    await session.query(['begin', ...lockStatements([contactLock(contactIds[1]!)])].join('; '));
    const patching = clients(2 * patches, 500, tally, (client, number) => ({
      base,
      method: 'PATCH',
      path: `/v1/contacts/${contactIds[client % 2]}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Name ${number}` }),
      nameFor: (status) => `PATCH ${status}`,
    }));
    return together(importing, patching, () => session.end());
  },
});
