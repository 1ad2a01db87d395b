import Joi from 'joi';
import { conversationsOf, eraseContact, eraseLocks } from '../../src/contacts/erasure/erase.ts';
import type { ContactFields } from '../../src/contacts/fields.ts';
import { contactEmail, contactName, customFields, externalId, externalSource } from '../../src/contacts/fields.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { findByPhone } from '../../src/contacts/lookup.ts';
import { type ContactPatch, contactPatchFields, patchContact } from '../../src/contacts/patch.ts';
import { getContact } from '../../src/contacts/queries.ts';
import { upsertContact, upsertOptions } from '../../src/contacts/upsert.ts';
import { endpoint } from '../http/endpoint.ts';
import { withdrawReplies } from '../http/idempotency.ts';
import { wrapped } from '../http/view.ts';
import { aboutContact, changeContact, contactView, data, tag, toContactView } from './schemas.ts';

export const createContact = endpoint({
  method: 'post',
  path: '/v1/contacts',
  operationId: 'contacts.create',
  tag,
  scope: 'contacts:write',
  summary: 'Create or update a contact',
  description:
    'The identities in the body decide: phone_number, email, external_id with its external_source. Nobody has one of them: 201 and a new contact. They are one contact’s: it is updated, given fields only, and what is new becomes another identity of it. They are of two contacts: 409 with both ids. 404 only for a repeat, with its Idempotency-Key, for a contact that was forgotten meanwhile.',
  isIdempotent: true,
  looksFirst: true,
  body: Joi.object<ContactFields>({
    phone_number: phoneNumber.allow(''),
    name: contactName.allow(''),
    email: contactEmail.allow(''),
    external_source: externalSource.allow(''),
    external_id: externalId.allow(''),
    custom_fields: customFields,
  })
    .custom((fields: ContactFields, { error }) =>
      Boolean(fields.external_id) === Boolean(fields.external_source)
        ? fields
        : error('object.and.external', { missing: [fields.external_id ? 'external_source' : 'external_id'] }),
    )
    .messages({ 'object.and.external': 'external_id and external_source must be given together' }),
  responses: { 200: wrapped(contactView), 201: wrapped(contactView) },
  errors: [404],
  example: {
    body: {
      phone_number: '+16505551234',
      name: 'Sheena Nelson',
      email: 'sheena@example.com',
      external_source: 'shop',
      external_id: 'C-1001',
      custom_fields: { tier: 'gold' },
    },
  },
  handler: ({ body, own, write }, { secrets }) =>
    write(upsertOptions(own, body), async ({ own: tx }, owner) => {
      const { row, isNew } = await upsertContact(tx, secrets, body, owner);
      return { status: isNew ? 201 : 200, body: { data: toContactView(row) } };
    }),
});

export const getOneContact = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID',
  operationId: 'contacts.get',
  scope: 'contacts:read',
  summary: 'Get one contact',
  description: 'One that became part of another is a 404 whose `details` name the survivor.',
  responses: { 200: wrapped(contactView) },
  handler: async ({ params, own }) => data(toContactView(await getContact(own, params.contactID))),
});

export const getContactByPhone = endpoint({
  method: 'get',
  path: '/v1/contacts/phone/:phone',
  operationId: 'contacts.get-by-phone',
  tag,
  scope: 'contacts:read',
  summary: 'Get one contact by phone number',
  subject: 'Contact',
  params: { phone: Joi.string().max(64).description('International format, with or without +') },
  responses: { 200: wrapped(contactView) },
  example: { params: { phone: '+16505551234' } },
  handler: async ({ params, own }) => data(toContactView(await findByPhone(own, params.phone))),
});

export const patchOneContact = endpoint({
  ...aboutContact,
  method: 'patch',
  path: '/v1/contacts/:contactID',
  operationId: 'contacts.update',
  scope: 'contacts:write',
  summary: 'Update a contact',
  description:
    'Given fields only; an empty text empties. An email that is replaced is no identity of the contact any more. One that is the last identity is not taken away: 409. Phones and other identities have endpoints of their own.',
  body: Joi.object<ContactPatch>(contactPatchFields).min(1),
  responses: { 200: wrapped(contactView) },
  example: { body: { name: 'Sheena Nelson' } },
  handler: ({ params, body, write }, { secrets }) =>
    changeContact(write, params.contactID, async (tx) => data(toContactView(await patchContact(tx, secrets, body)))),
});

export const deleteContact = endpoint({
  ...aboutContact,
  method: 'delete',
  path: '/v1/contacts/:contactID',
  operationId: 'contacts.delete',
  scope: 'contacts:write',
  summary: 'Delete a contact and forget the person',
  description:
    'Deletes the contact with its identities, notes, tags, consents and their history. Messages are kept without personal data; a message to the contact that still waits is not sent. A contact that was suppressed or blocked stays so, by a keyed hash of their addresses. A request about the contact that is repeated with its Idempotency-Key is a 404 from now on. A task about nobody else goes. A job then removes the personal data from the words and the history of other tasks that were about the contact, from events, stored answers of webhooks and what the provider sent.',
  audit: 'contact',
  responses: { 204: null },
  handler({ params: { contactID }, own, write, from }, { secrets }) {
    const look = () => conversationsOf(own, contactID);
    return write({ isLong: true, look, locks: (conversations) => eraseLocks(contactID, conversations) }, async (tx) => {
      const ids = await eraseContact(tx.own, secrets, contactID);
      await withdrawReplies(tx, secrets, own.organizationId, ids, from.requestId);
      return { status: 204 };
    });
  },
});
