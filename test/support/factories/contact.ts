import { randomInt } from 'node:crypto';
import { identitiesOf, type Person } from '../../../src/contacts/identities/resolve.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

/** Of one test file, each another, in no order that a test could lean on. */
let lastNumber = randomInt(100_000);
const nextNumber = () => {
  lastNumber = (lastNumber + 7_919) % 100_000;
  return lastNumber.toString().padStart(5, '0');
};

export type ContactMade = { id: string; phone: string };

/** A contact with its identities, by phone unless something else is said. */
export async function contact(em: Em, organizationId: string, given: Person = {}): Promise<ContactMade> {
  const id = uuidv7();
  const phone = given.phone ?? `+1202555${nextNumber()}`;
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
