import type { Own } from '../../platform/database/own.ts';
import type { Bind } from '../../platform/listing/bind.ts';
import type { SegmentRow } from '../../segments/segments.ts';
import { segmentsOf } from '../../segments/segments.ts';
import { memberCondition, segmentCondition, selectionCondition } from '../../segments/selection.ts';
import type { Audience } from '../campaign.entity.ts';

/**
 * SQL (all of this file): for a statement over sets. Contacts `k` of the organization $1, walked in the order of `key`. `from` ends in a
 * condition.
 */
export type Source = { key: string; from(bind: Bind): string };

const ofContacts = (condition: (bind: Bind) => string): Source => ({
  key: 'k.id',
  from: (bind) => `
    contacts k
   where k.organization_id = $1
     and ${condition(bind)}`,
});

/** Its members, not all contacts. */
const ofMembers = ({ id }: SegmentRow): Source => ({
  key: 's.contact_id',
  from: (bind) => `
    segment_members s
    join contacts k on k.organization_id = s.organization_id and k.id = s.contact_id
   where s.organization_id = $1
     and s.segment_id = ${bind(id)}::uuid`,
});

/** Of one person whose contacts became one, the rows of all count: who was reached by another row is none of those who were not. */
const ofCampaign = ({ campaign_id, statuses }: NonNullable<Audience['from_campaign']>): Source => ({
  key: 's.contact_id',
  from: (bind) => `
    campaign_recipients s
    join contacts k on k.organization_id = s.organization_id and k.id = s.contact_id
   where s.organization_id = $1
     and s.campaign_id = ${bind(campaign_id)}::uuid
     and s.contact_id is not null
     and not s.is_extra
     and ((s.status = any(${bind(statuses)}::text[])) is true or s.reason = 'duplicate')
     and (${hasOutcome(bind(statuses))}) is true`,
});

const hasOutcome = (statuses: string) => `
  select bool_or(o.status = any(${statuses}::text[]) and o.reason <> 'duplicate')
         and not bool_or(o.status in ('queued', 'sent', 'delivered', 'read') and o.status <> all(${statuses}::text[]))
    from campaign_recipients o
   where o.organization_id = s.organization_id and o.contact_id = s.contact_id and o.campaign_id = s.campaign_id`;

/** Always in the same order: the position names a source by its place. */
export function sourcesOf(audience: Audience, segments: SegmentRow[]): Source[] {
  const { filters = [], search = '', tags = [], contact_ids = [], from_campaign } = audience;
  return [
    ...segments.map((one) => (one.kind === 'static' ? ofMembers(one) : ofContacts((bind) => selectionCondition(one, bind)))),
    ...(filters.length > 0 || search !== ''
      ? [ofContacts((bind) => selectionCondition({ filters: filters as never, search }, bind))]
      : []),
    ...(tags.length > 0 ? [ofContacts((bind) => selectionCondition({ tags }, bind))] : []),
    ...(contact_ids.length > 0 ? [ofContacts((bind) => `k.id = any(${bind(contact_ids)}::uuid[])`)] : []),
    ...(from_campaign ? [ofCampaign(from_campaign)] : []),
  ];
}

/** Who is in one of them is left out. */
export const excludedBy = (segments: SegmentRow[], bind: Bind): string =>
  segments.length === 0
    ? 'false'
    : `(${segments
        .map((one) => (one.kind === 'static' ? memberCondition(one.id, bind) : segmentCondition(one, bind)))
        .join(' or ')}) is true`;

export type AudienceRead = { sources: Source[]; excluded: SegmentRow[] };

/** Throws 422 for a segment that is gone, and for filters that are refused by now. */
export async function readAudience(own: Own, audience: Audience): Promise<AudienceRead> {
  const segments = await segmentsOf(own, audience.segment_ids ?? [], 'audience.segment_ids');
  const excluded = await segmentsOf(own, audience.exclude_segment_ids ?? [], 'audience.exclude_segment_ids');
  return { sources: sourcesOf(audience, segments), excluded };
}
