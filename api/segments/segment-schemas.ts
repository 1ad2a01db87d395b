import Joi from 'joi';
import { contactFields } from '../../src/contacts/list.ts';
import { tagName } from '../../src/contacts/tag-catalogue.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { fieldNames } from '../../src/platform/listing/fields.ts';
import { maxFilters } from '../../src/platform/listing/filters.ts';
import { maxSearchCharacters } from '../../src/platform/listing/search.ts';
import { maxCount } from '../../src/segments/count.ts';
import { segmentKinds } from '../../src/segments/segment.entity.ts';
import type { SegmentRow } from '../../src/segments/segments.ts';
import { bodyFilter } from '../http/listing.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Segments';
export const aboutSegment = { tag, subject: 'Segment' };

const maxTagsOfSelection = 100;

/** What the list of contacts is asked, as a body has it. */
export const selectionFields = {
  search: Joi.string()
    .trim()
    .allow('')
    .max(maxSearchCharacters)
    .description('As in the list of contacts: words, all of which must match'),
  filters: Joi.array()
    .items(
      bodyFilter(
        `As in the list of contacts: ${fieldNames(contactFields)
          .map((name) => `\`${name}\``)
          .join(', ')}`,
      ),
    )
    .max(maxFilters)
    .description(`All of them must hold. \`tags\` count as one of the ${maxFilters}`),
  tags: Joi.array()
    .items(tagName)
    .max(maxTagsOfSelection)
    .description('Names of tags, of which a contact has one at least. A tag need not be there yet'),
};

export const kind = Joi.string()
  .valid(...segmentKinds)
  .description('dynamic: whoever matches at the moment of reading; static: members, added and removed one by one');

const { search, filters, tags } = selectionFields;

export const segmentView = view(
  'segment',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    kind: kind.required(),
    description: Joi.string().allow('').required(),
    search: search.required(),
    filters: filters.required(),
    tags: tags.required(),
    count: Joi.number()
      .integer()
      .allow(null)
      .required()
      .description(
        `Contacts at \`counted_at\`; ${maxCount} means that many or more. null: not counted since it was made or its filters changed`,
      ),
    counted_at: timestamp.allow(null).required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('segment'),
    name: 'Gold customers',
    kind: 'dynamic',
    description: 'Everybody of the upper tier',
    search: '',
    filters: [{ field: 'custom_fields.tier', operator: 'eq', value: 'gold' }],
    tags: ['vip'],
    count: 1_250,
    counted_at: exampleTime,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toSegmentView = ({ counted_at, created_at, updated_at, ...row }: SegmentRow) => ({
  ...row,
  counted_at: counted_at && iso(counted_at),
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

/** Who is in a segment, and how many match its filters, tells of contacts. Throws 403, which names the scope. */
export function assertSeesContacts({ scopes }: Caller): void {
  if (scopes.has('contacts:read')) return;
  throw new AppError('forbidden', 'The credential lacks the scope contacts:read, which reading contacts of a segment needs too');
}
