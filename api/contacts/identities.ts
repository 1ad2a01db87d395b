import Joi from 'joi';
import { type IdentityType, identityTypes } from '../../src/contacts/contact.entity.ts';
import { contactEmail, externalId, externalSource } from '../../src/contacts/fields.ts';
import { addIdentity, type IdentityRow, listIdentities, removeIdentity } from '../../src/contacts/identities/identities.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { aboutContact, changeContact, listedData, tag } from './schemas.ts';

const path = '/v1/contacts/:contactID/identities';

export const identityView = view(
  'contact_identity',
  Joi.object({
    id: id.required(),
    type: Joi.string().required().description('phone, messaging_app, messaging_app_id, email or external_id'),
    source: Joi.string().allow('').required().description('The system an external_id is of; else empty'),
    value: Joi.string()
      .required()
      .description('As it is looked for: a phone with +, an app’s phone id in digits, an email in small letters'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIds.identity,
    type: 'phone',
    source: '',
    value: '+16505551234',
    created_at: exampleTime,
  },
);

const toView = (row: IdentityRow) => ({
  id: row.id,
  type: row.type,
  source: row.source,
  value: row.value,
  created_at: iso(row.created_at),
});

export const listOfIdentities = endpoint({
  ...aboutContact,
  method: 'get',
  path,
  operationId: 'contacts.identities.list',
  scope: 'contacts:read',
  summary: 'List by what a contact is known, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(identityView) },
  handler: ({ params, query, own }) =>
    listedData(
      'contacts.identities',
      { contactID: params.contactID },
      query,
      (page) => listIdentities(own, params.contactID, page),
      toView,
    ),
});

type IdentityBody = { type: IdentityType; value: string; source?: string };

const appPhone = Joi.string().pattern(/^\+?(?:[\s().-]*\d){5,20}$/, 'digits of a phone');
const shapes: Record<IdentityType, Joi.Schema> = {
  phone: phoneNumber,
  messaging_app: appPhone,
  messaging_app_id: Joi.string().max(128),
  email: contactEmail,
  external_id: externalId,
};
const value = identityTypes
  .reduce<Joi.Schema>(
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word
    (schema, type) => schema.when('type', { is: type, then: shapes[type] }),
    Joi.string().trim().min(1).max(512).required(),
  )
  .description('A phone in international format, the app’s digits or user id of a person, an email, an id in another system');

export const createIdentity = endpoint({
  ...aboutContact,
  method: 'post',
  path,
  operationId: 'contacts.identities.create',
  scope: 'contacts:write',
  summary: 'Add an identity to a contact',
  description:
    'The contact is found by it from then on. A phone and the messaging app’s id of it are one address: both are added. The contact’s own phone_number, email or external_id takes it when it is empty. It has it already: 200. It is another contact’s: 409, and `details` name that one; merge them.',
  isIdempotent: true,
  body: Joi.object<IdentityBody>({
    type: Joi.string()
      .valid(...identityTypes)
      .required(),
    value,
    source: externalSource
      .min(1)
      // biome-ignore lint/suspicious/noThenProperty: Joi's own word
      .when('type', { is: 'external_id', then: Joi.required(), otherwise: Joi.forbidden() })
      .description('The system the id is of: with an external_id, and only then'),
  }),
  responses: { 200: wrapped(identityView), 201: wrapped(identityView) },
  example: { body: { type: 'phone', value: '+16505551234' } },
  handler: ({ params, body, write }, { secrets }) =>
    changeContact(write, params.contactID, async (tx) => {
      const { row, isNew } = await addIdentity(tx, secrets, body);
      return { status: isNew ? 201 : 200, body: { data: toView(row) } };
    }),
});

export const deleteIdentity = endpoint({
  tag,
  subject: 'Identity',
  method: 'delete',
  path: `${path}/:identityID`,
  operationId: 'contacts.identities.delete',
  scope: 'contacts:write',
  summary: 'Remove an identity from a contact',
  description:
    'A phone goes together with the messaging app’s id of it. The contact’s own phone_number, email or external_id takes the next of that type, or becomes empty. The last identity stays: 409.',
  responses: { 204: null },
  handler: ({ params, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      await removeIdentity(tx, params.identityID);
      return { status: 204 };
    }),
});
