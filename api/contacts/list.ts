import Joi from 'joi';
import { contactFields, listContacts, readContactListing } from '../../src/contacts/list.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { dataList } from '../http/paging.ts';
import { contactView, tag, toContactView } from './schemas.ts';

export const listOfContacts = endpoint({
  method: 'get',
  path: '/v1/contacts',
  operationId: 'contacts.list',
  tag,
  scope: 'contacts:read',
  summary: 'List contacts: search, filter, sort',
  description:
    'A word of the search is found anywhere in the name, one of less than three characters at the beginning of a name’s word; phones and emails by how they begin. A search that looks like a phone, `+1 (650) 555-12`, is one. `eq` compares exactly; `contains`, `starts_with` and `ends_with` whatever the case. `neq`, `not_in` and `not_contains` hold for a contact that has no such field too. `custom_fields.<key>` compares values of the JSON type given; everything after the first dot is the key. Where each contact must be looked at, as for `contains`, a page ends after so many: it may be short, or empty, while `has_more` is true; go on with `next_cursor`. What takes too long, `include_total` among it, is a 503 that says so.',
  query: Joi.object<ListQuery>(listQuery(contactFields)),
  responses: { 200: dataList(contactView) },
  example: {
    query: { sort: '-created_at', filters: '[{"field":"custom_fields.tier","operator":"in","value":["gold","silver"]}]' },
  },
  async handler({ query, caller }, { reads }) {
    const listing = readContactListing(query);
    const read = (page: Parameters<typeof listContacts>[3]) => listContacts(reads, caller.organizationId, listing, page);
    const { rows, meta } = await pageOfListing(listing, query, read, toContactView);
    return ok({ data: rows, meta });
  },
});
