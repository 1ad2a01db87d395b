import { createKey } from '../../../src/organizations/keys.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { type Scope, scopes } from '../../../src/organizations/scopes.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { OwnRows } from '../../../src/platform/database/own.ts';

/** An organization with a key that may do everything, or what `granted` says. */
export async function organizationWithKey(
  em: Em,
  granted: Scope[] = scopes,
): Promise<{ organizationId: string; keyId: string; key: string }> {
  const organizationId = await createOrganization(em, 'Test');
  const { id, key } = await createKey(new OwnRows(em, organizationId), 'test', granted);
  return { organizationId, keyId: id, key };
}
