import type { Own } from '../platform/database/own.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { foldedEmail } from './fields.ts';
import { columnsOf, type Identity, ownersOf, ownersPart, respelled } from './identities/identity.ts';
import { toE164 } from './identities/phone.ts';
import { type ContactRow, contactColumns } from './queries.ts';

export type IdentifierType = 'contact_id' | Identity['type'];
export type Identifier = { type: IdentifierType; value: string; source?: string };

/** A phone as people write it; otherwise the digits as a provider gave them. */
const phoneValue = (text: string) => toE164(text) ?? `+${text.replace(/\D/g, '')}`;

const spelling: Record<Identity['type'], (text: string) => string> = {
  phone: phoneValue,
  messaging_app: (text) => text.replace(/\D/g, ''),
  messaging_app_id: (text) => text,
  email: foldedEmail,
  external_id: (text) => text,
};

export const toIdentity = (type: Identity['type'], text: string, source = ''): Identity => ({
  type,
  source: type === 'external_id' ? source : '',
  value: spelling[type](text.trim()),
});

/** SQL: one statement for all identifiers, each looked up by its index (bench: lookup). */
const lookUp = `
  with found as (
    select k.id
      from unnest($2::uuid[]) as x(id),
           lateral (
             select c.id
               from contacts c
              where c.organization_id = $1
                and c.id = x.id
             offset 0) k
    union
    select i.contact_id
      from ${ownersPart({ types: '$3', sources: '$4', values: '$5' })})
  select ${contactColumns}
    from found f,
         lateral (
           select *
             from contacts c
            where c.organization_id = $1
              and c.id = f.id
           offset 0) k
   limit 2`;

/** Ignores identifiers without a contact. Throws 404 when none has one, 409 for several contacts. */
export async function lookUpContact(own: Own, identifiers: Identifier[]): Promise<ContactRow> {
  const ids = identifiers.flatMap(({ type, value }) => (type === 'contact_id' ? [value] : []));
  const identities = identifiers.flatMap(({ type, value, source }) =>
    type === 'contact_id' ? [] : [toIdentity(type, value, source)],
  );
  // Most phones have one form, and are found by one statement.
  const isSpelled = identities.some((identity) => respelled(identity) !== undefined);
  const params = isSpelled ? [[...ids, ...(await ownersOf(own, identities))], ...columnsOf([])] : [ids, ...columnsOf(identities)];
  const rows = await own.sql<ContactRow>(lookUp, params);
  if (rows.length > 1) throw new AppError('conflict', 'The identifiers belong to different contacts');
  if (!rows[0]) throw notFound('Contact');
  return rows[0];
}

export const findByPhone = (own: Own, phone: string): Promise<ContactRow> =>
  lookUpContact(own, [{ type: 'phone', value: phone }]);
