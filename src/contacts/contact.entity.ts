import { defineEntity, p } from '@mikro-orm/core';
import { computed, created, tenant, times } from '../platform/database/columns.ts';

export const identityTypes = ['phone', 'messaging_app', 'messaging_app_id', 'email', 'external_id'] as const;
export type IdentityType = (typeof identityTypes)[number];

export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    ...tenant(),
    name: p.text().default(''),
    phone_number: p.text().default(''),
    email: p.text().default(''),
    external_source: p.text().default(''),
    external_id: p.text().default(''),
    custom_fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    other_addresses: p.text().default(''),
    /** A space stands before each word of the name, a line break before each phone (digits) and email. */
    search: computed(
      `(' ' || searchable(name || E'\\n' || ltrim(phone_number, '+') || E'\\n' || email || other_addresses)) stored`,
    ),
    ...times(),
  },
});

export const ContactIdentity = defineEntity({
  name: 'ContactIdentity',
  tableName: 'contact_identities',
  properties: {
    ...tenant(),
    contact_id: p.uuid(),
    type: p.enum(identityTypes),
    source: p.text().default(''),
    value: p.text(),
    ...created(),
  },
});
