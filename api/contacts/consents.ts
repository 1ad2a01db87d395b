import Joi from 'joi';
import { type ConsentRow, listConsents, setConsent } from '../../src/contacts/permission/consents.ts';
import {
  type ConsentChannel,
  type ConsentStatus,
  consentChannels,
  consentStatuses,
} from '../../src/contacts/permission/permission.entity.ts';
import { consentChannel, consentFields } from '../../src/contacts/permission/schemas.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { aboutContact, changeContact, data, listedData } from './schemas.ts';

export const consentView = view(
  'contact_consent',
  Joi.object({
    channel: Joi.string()
      .valid(...consentChannels)
      .required(),
    status: Joi.string()
      .valid(...consentStatuses)
      .required(),
    source: Joi.string()
      .allow('')
      .required()
      .description('Where it was said; `message` or `provider` when the person told us there'),
    proof: Joi.string().allow('').required().description('What shows it: a link, a record’s id, a message’s id'),
    changed_at: timestamp.required(),
  }),
  {
    channel: 'messaging_app',
    status: 'granted',
    source: 'checkout',
    proof: 'https://shop.example.com/consents/4711',
    changed_at: exampleTime,
  },
);

const toView = (row: ConsentRow) => ({
  channel: row.channel,
  status: row.status,
  source: row.source,
  proof: row.proof,
  changed_at: iso(row.changed_at),
});

type ConsentBody = { status: ConsentStatus; source: string; proof: string };

export const putConsent = endpoint({
  ...aboutContact,
  method: 'put',
  path: '/v1/contacts/:contactID/consent/:channel',
  operationId: 'contacts.consents.put',
  subject: 'Contact or channel',
  scope: 'contacts:write',
  summary: 'Set the consent of a contact for a channel',
  description:
    'Marketing needs `granted` on the channel it goes out on. Every change is kept as history; the same again is none. A suppression is another thing and stays.',
  params: { channel: consentChannel },
  body: Joi.object<ConsentBody>(consentFields),
  responses: { 200: wrapped(consentView) },
  example: {
    params: { channel: 'messaging_app' },
    body: { status: 'granted', source: 'checkout', proof: 'https://shop.example.com/consents/4711' },
  },
  handler: ({ params, body: { status, source, proof }, caller, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      const consent = { channel: params.channel as ConsentChannel, status };
      return data(toView(await setConsent(tx, consent, { actor: actorOf(caller), source, proof })));
    }),
});

export const listOfConsents = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/consents',
  operationId: 'contacts.consents.list',
  scope: 'contacts:read',
  summary: 'List the consents of a contact, one a channel',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(consentView) },
  handler: ({ params, query, own }) =>
    listedData('contact consents', params, query, (page) => listConsents(own, params.contactID, page), toView),
});
