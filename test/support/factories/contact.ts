import { randomInt } from 'node:crypto';
import { identitiesOf, type Person } from '../../../src/contacts/identities/resolve.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

export type ContactMade = { id: string; phone: string };

/** A contact with its identities, by phone unless something else is said. */
export async function contact(em: Em, organizationId: string, given: Person = {}): Promise<ContactMade> {
  const id = uuidv7();
  const phone = given.phone ?? `+1202555${randomInt(10_000).toString().padStart(4, '0')}${randomInt(10)}`;
  await query(em, 'insert into contacts (id, organization_id, name, phone_number) values ($1, $2, $3, $4)', [
    id,
    organizationId,
    given.name ?? 'Test person',
    phone,
  ]);
  for (const { type, value } of identitiesOf({ ...given, phone }))
    await query(em, 'insert into contact_identities (id, organization_id, contact_id, type, value) values ($1, $2, $3, $4, $5)', [
      uuidv7(),
      organizationId,
      id,
      type,
      value,
    ]);
  return { id, phone };
}
