import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type IdentityType = 'phone' | 'messaging_app' | 'messaging_app_id' | 'email' | 'external_id';
export const identityTypes: IdentityType[] = ['phone', 'messaging_app', 'messaging_app_id', 'email', 'external_id'];

export const Contact = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    name: p.string().default(''),
    phoneNumber: p.string().default(''),
    email: p.string().default(''),
    externalSource: p.string().default(''),
    externalId: p.string().default(''),
    customFields: p.json().$type<Record<string, unknown>>(),
    /** Phones and emails beside the two above, each after a line break, for the search. */
    otherAddresses: p.string().default(''),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});

/** An address a person is known by; each belongs to one contact of the organization. */
export const ContactIdentity = defineEntity({
  name: 'ContactIdentity',
  tableName: 'contact_identities',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    contactId: p.uuid(),
    type: p.string().$type<IdentityType>(),
    source: p.string().default(''),
    value: p.string(),
    createdAt: p.datetime().onCreate(nowDate),
  },
});
