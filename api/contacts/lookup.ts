import Joi from 'joi';
import { type Identifier, lookUpContact } from '../../src/contacts/lookup.ts';
import { isUuid } from '../../src/platform/ids.ts';
import { endpoint } from '../http/endpoint.ts';
import { wrapped } from '../http/view.ts';
import { contactView, data, tag, toContactView } from './schemas.ts';

const types = ['contact_id', 'phone', 'messaging_app', 'email', 'external_id', 'messaging_app_id'];

const whenType = (type: string, schema: Joi.Schema, needed: Joi.Schema) =>
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  schema.when('type', { is: type, then: needed });

const value = Joi.string().trim().min(1).max(512).required();
const contactId = Joi.custom((text: string, { error }) => (isUuid(text) ? text : error('string.guid')));
const source = Joi.string().trim().min(1).max(100).description('Required when the type is external_id');
const identifier = Joi.object<Identifier>({
  type: Joi.string()
    .valid(...types)
    .required(),
  value: whenType('contact_id', value, contactId),
  source: whenType('external_id', source, Joi.required()),
});

export const lookUp = endpoint({
  method: 'post',
  path: '/v1/contacts/lookup',
  operationId: 'contacts.lookup',
  tag,
  scope: 'contacts:read',
  summary: 'Find the stored contact that identifiers belong to',
  description:
    'Identifiers that nobody has are passed over: 404 only when none is anybody’s, 409 when they are of different contacts.',
  subject: 'Contact',
  errorShape: 'lookup',
  body: Joi.object<{ identifiers: Identifier[] }>({ identifiers: Joi.array().items(identifier).min(1).max(50).required() }),
  responses: { 200: wrapped(contactView) },
  example: {
    body: { identifiers: [{ type: 'external_id', source: 'shop', value: 'C-1001' }] },
  },
  handler: async ({ body, own }) => data(toContactView(await lookUpContact(own, body.identifiers))),
});
