import { createAuthenticate } from '../../src/accounts/authenticate.ts';
import { type Database, query } from '../../src/database.ts';
import { createKey } from '../../src/organizations/keys.ts';
import { createOrganization } from '../../src/organizations/organizations.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import type { Home } from './home.ts';

/**
 * The organization the demo lives in and a key to it, kept ones when they still hold. A number is connected once in a database, so with
 * a database of one's own the organization that has the demo's number is the one.
 */
export async function demoOrganization(database: Database, home: Home, phoneNumberId: string) {
  const organizationId = (await existing(database, home.kept.organizationId, phoneNumberId)) ?? (await created(database));
  const { apiKey } = home.kept;
  const caller = apiKey ? await createAuthenticate(database).key(apiKey) : undefined;
  if (apiKey && caller?.organizationId === organizationId) return { organizationId, apiKey };
  const { key } = await createKey(database.em(), organizationId, 'npm start', scopes);
  home.keep({ organizationId, apiKey: key });
  return { organizationId, apiKey: key };
}

async function existing(database: Database, kept: string | undefined, phoneNumberId: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(
    database.em(),
    `select organization_id as id from channels where phone_number_id = $1
     union all select id from organizations where id = $2 and not exists (select 1 from channels where phone_number_id = $1)`,
    [phoneNumberId, kept ?? null],
  );
  return row?.id;
}

const created = (database: Database) => createOrganization(database.em(), 'Demo');
