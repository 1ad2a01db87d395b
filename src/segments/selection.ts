import { contactTable, readContactListing } from '../contacts/list.ts';
import type { Bind } from '../platform/listing/bind.ts';
import { type Listing, listingSql } from '../platform/listing/listing.ts';

export type Filter = { field: string; operator?: string; value?: unknown };
/** What the list of contacts is asked. `tags`: one of them at least. Nothing given: every contact. */
export type Selection = { search?: string; filters?: Filter[]; tags?: string[] };

/** Newest first. Throws 422 with the paths of a body (`filters[0].field`), as the list of contacts does. */
export function readSelection({ search, filters = [], tags = [] }: Selection): Listing {
  const byTag: Filter[] = tags.length > 0 ? [{ field: 'tags', operator: 'in', value: tags }] : [];
  return readContactListing({ search, filters: [...filters, ...byTag], location: 'body' });
}

/**
 * SQL (all of this file): for a statement over sets. A condition on `contacts k`, in a statement whose `$1` is the organization and
 * which says `k.organization_id = $1` itself. `bind` adds to its parameters. It is to be planned for its values (`queryPlanned`).
 */
export function selectionCondition(selection: Selection, bind: Bind): string {
  const { where, rest } = listingSql(contactTable, readSelection(selection), bind);
  return `(true${where}${rest})`;
}

/** The same for the members of a static segment. */
export const memberCondition = (segmentId: string, bind: Bind): string => `exists (
  select 1
    from segment_members m
   where m.organization_id = $1 and m.segment_id = ${bind(segmentId)}::uuid and m.contact_id = k.id)`;

/** The same for a segment of either kind. */
export const segmentCondition = (segment: Selection & { id: string; kind: string }, bind: Bind): string =>
  segment.kind === 'static' ? memberCondition(segment.id, bind) : selectionCondition(segment, bind);
