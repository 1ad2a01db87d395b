import { query, type Source } from '../../database.ts';
import { AppError } from '../../errors.ts';
import { type ContactRow, contactColumns } from '../queries.ts';

/** Which contacts, and in which order: a page after the last row of the one before, up to `limit`; and the custom fields all of them have. */
export type Selection = {
  page(after: ContactRow | undefined, limit: number): Promise<ContactRow[]>;
  keys(limit: number): Promise<string[]>;
};

/** All contacts of an organization, oldest first. */
export const allContacts = (source: Source, organizationId: string): Selection => ({
  page: (after, limit) =>
    query<ContactRow>(
      source,
      `select ${contactColumns} from contacts k where k.organization_id = $1 and (k.created_at, k.id) > ($2::timestamptz, $3::uuid)
        order by k.created_at, k.id limit $4`,
      [organizationId, after?.created_at ?? '-infinity', after?.id ?? '00000000-0000-0000-0000-000000000000', limit],
    ),
  async keys(limit) {
    const rows = await query<{ key: string }>(
      source,
      `select distinct key from contacts k, jsonb_object_keys(k.custom_fields) as key
        where k.organization_id = $1 and k.custom_fields <> '{}' order by key limit $2`,
      [organizationId, limit],
    );
    return rows.map(({ key }) => key);
  },
});

const mostKeys = 500;

/** The custom fields that get a column each. Throws 422 when they are too many for a table that people read. */
export async function customKeys(selection: Selection): Promise<string[]> {
  const keys = await selection.keys(mostKeys + 1);
  if (keys.length > mostKeys)
    throw new AppError(
      'limit_reached',
      `The contacts have more than ${mostKeys} custom fields between them: export fewer at once`,
    );
  return keys;
}
