import { createAuthenticate } from '../../src/accounts/authenticate.ts';
import { issueKey } from '../../src/operator/keys.ts';
import { openOrganization } from '../../src/operator/organizations.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import { createTransact } from '../../src/platform/ledger/transact.ts';
import { demoUser } from './demo-user.ts';
import type { Home } from './home.ts';

/**
 * The demo's organization, its owner and a key to it; kept ones are used while they are valid. A number is connected once in a database, so
 * in the user's own database (DATABASE_URL) the organization with the demo's number is the demo's.
 */
export async function demoOrganization(database: Database, home: Home, phoneNumberId: string) {
  const transact = createTransact(database, () => undefined);
  const organizationId =
    (await existing(database, home.kept.organizationId, phoneNumberId)) ?? (await openOrganization(transact, 'Demo'));
  if (organizationId !== home.kept.organizationId) home.keep({ organizationId });
  const user = await demoUser(database, home, organizationId);
  const { apiKey } = home.kept;
  const caller = apiKey ? await createAuthenticate(database).key(apiKey) : undefined;
  // A key of an earlier version may lack scopes that have come since.
  if (apiKey && caller?.organizationId === organizationId && scopes.every((scope) => caller.scopes.has(scope)))
    return { organizationId, apiKey, user };
  const { key } = await issueKey(transact, organizationId, { name: 'npm start', scopes });
  home.keep({ apiKey: key });
  return { organizationId, apiKey: key, user };
}

/** SQL: looks for the organization itself, over all of them. */
const existingStatement = `
  select organization_id as id
    from channels
   where phone_number_id = $1
  union all
  select id
    from organizations
   where id = $2 and not exists (select 1 from channels where phone_number_id = $1)`;

async function existing(database: Database, kept: string | undefined, phoneNumberId: string): Promise<string | undefined> {
  const [row] = await query<{ id: string }>(database.em(), existingStatement, [phoneNumberId, kept ?? null]);
  return row?.id;
}
