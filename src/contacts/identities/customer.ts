import type { Own } from '../../platform/database/own.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { Contact } from '../contact.entity.ts';
import { emitCreated } from '../events.ts';
import { foldedEmail } from '../fields.ts';
import { suppressAgain } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity, insertIdentitiesSql, ownersOf } from './identity.ts';
import { sourced } from './resolve.ts';

/** Who orders. `phone`: E.164. Empty: not known. */
export type Customer = { name: string; phone: string; email: string };

const byPhone = ({ phone }: Customer): Identity[] => (phone ? sourced({ phone }) : []);
const byEmail = ({ email }: Customer): Identity[] => (email ? [{ type: 'email', source: '', value: foldedEmail(email) }] : []);

/** The phone decides, then the email. Of several the oldest. What else is said of them changes no contact: nobody proved it. */
export async function findCustomer(own: Own, customer: Customer): Promise<string | undefined> {
  for (const identities of [byPhone(customer), byEmail(customer)]) {
    const [found] = identities.length > 0 ? await ownersOf(own, identities) : [];
    if (found) return found;
  }
  return undefined;
}

const insertIdentities = insertIdentitiesSql({
  organization: '$1',
  contact: '$2',
  types: '$3',
  sources: '$4',
  values: '$5',
});

/** Nobody has the phone or the email. Null for a customer without both. Run with `retryOn: [identityTaken]`. */
export async function makeCustomer(tx: OwnTx, secrets: Secrets, customer: Customer): Promise<string | null> {
  const identities = [...byPhone(customer), ...byEmail(customer)];
  if (identities.length === 0) return null;
  const id = uuidv7();
  const { name, phone: phone_number, email } = customer;
  tx.isNew('contact', id);
  await tx.insert(Contact, { id, name, phone_number, email });
  await tx.sql(insertIdentities, [id, ...columnsOf(identities)]);
  suppressAgain(tx, secrets, id, identities);
  const given = Object.entries({ name, phone_number, email }).flatMap(([field, text]) => (text ? [field] : []));
  emitCreated(tx, { id, name }, given);
  return id;
}
