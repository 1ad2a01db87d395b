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
 * The organization the demo lives in, its owner and a key to it, kept ones when they still hold. A number is connected once in a
 * database, so with a database of one's own the organization that has the demo's number is the one.
 */
export async function demoOrganization(database: Database, home: Home, phoneNumberId: string) {
  const transact = createTransact(database, () => undefined);
  const organizationId =
    (await existing(database, home.kept.organizationId, phoneNumberId)) ?? (await openOrganization(transact, 'Demo'));
  if (organizationId !== home.kept.organizationId) home.keep({ organizationId });
  const user = await demoUser(database, home, organizationId);
  const { apiKey } = home.kept;
  const caller = apiKey ? await createAuthenticate(database).key(apiKey) : undefined;
  if (apiKey && caller?.organizationId === organizationId) return { organizationId, apiKey, user };
  const { key } = await issueKey(transact, organizationId, { name: 'npm start', scopes });
  home.keep({ apiKey: key });
  return { organizationId, apiKey: key, user };
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
