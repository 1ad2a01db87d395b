import { type Fields, sortableNames } from '../../platform/listing/fields.ts';
import { type Listing, readListing } from '../../platform/listing/listing.ts';
import type { ForEach } from './definition.ts';

/** The list of a schedule, by the fields of its kind; each tag is a filter. Throws 422, with places from `for_each` on. */
export function forEachListing(fields: Fields, { filters = [], any, search, tags = [] }: ForEach): Listing {
  const tagged = tags.map((value) => ({ field: 'tags', operator: 'eq', value }));
  // Subjects are read by their ids; of conversations there is no list by `created_at`, which is the usual one.
  const [sort] = sortableNames(fields);
  return readListing('for_each', fields, { search, filters: [...filters, ...tagged], any, location: 'body', sort });
}
