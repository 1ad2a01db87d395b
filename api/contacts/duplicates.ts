import Joi from 'joi';
import { type DuplicateRow, listDuplicates } from '../../src/contacts/merging/duplicates.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { listedData, tag } from './schemas.ts';

export const duplicateView = view(
  'contact_duplicate',
  Joi.object({
    contact_id: id.required().description('The older of the two'),
    other_id: id.required(),
    reason: Joi.string()
      .required()
      .description(
        'same_person: one message came from addresses of both. same_phone: both have one phone, in two forms or by what the provider answered; a suppression of one counts for both. number_changed, user_id_changed: the new address is the other’s',
      ),
    created_at: timestamp.required(),
  }),
  {
    contact_id: exampleIds.contact,
    other_id: exampleIds.otherContact,
    reason: 'same_person',
    created_at: exampleTime,
  },
);

const toView = (row: DuplicateRow) => ({
  contact_id: row.contact_id,
  other_id: row.other_id,
  reason: row.reason,
  created_at: iso(row.created_at),
});

export const listOfDuplicates = endpoint({
  method: 'get',
  path: '/v1/contacts/duplicates',
  operationId: 'contacts.duplicates.list',
  tag,
  scope: 'contacts:read',
  summary: 'List pairs of contacts that seem to be one person, newest first',
  description: 'Found by what the provider’s messages say of people. Nothing is merged by itself; a merge removes its pair.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(duplicateView) },
  handler: ({ query, own }) => listedData('contacts.duplicates', {}, query, (page) => listDuplicates(own, {}, page), toView),
});
