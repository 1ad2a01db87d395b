import type { Own } from '../platform/database/own.ts';
import type { Bind } from '../platform/listing/bind.ts';
import { segmentsOf } from '../segments/segments.ts';
import { segmentCondition, selectionCondition } from '../segments/selection.ts';
import type { Audience } from './campaign.entity.ts';
import { selectionOf } from './checks/audience.ts';

/**
 * SQL (all of this file): conditions on `contacts k`, of a statement whose `$1` is the organization. Whoever meets one of `sources` and none of
 * `exclusions` is in the audience. Throws 422 for a segment that is deleted.
 */
export async function audienceConditions(own: Own, audience: Audience, bind: Bind) {
  const { segment_ids = [], exclude_segment_ids = [], contact_ids = [], from_campaign } = audience;
  const selection = selectionOf(audience);
  const hasSelection = [selection.search?.trim(), selection.filters, selection.tags].some((given) => given && given.length > 0);
  const segments = await segmentsOf(own, segment_ids, 'audience.segment_ids');
  const excluded = await segmentsOf(own, exclude_segment_ids, 'audience.exclude_segment_ids');
  return {
    sources: [
      ...segments.map((segment) => segmentCondition(segment, bind)),
      ...(hasSelection ? [selectionCondition(selection, bind)] : []),
      ...(contact_ids.length > 0 ? [`k.id = any(${bind(contact_ids)}::uuid[])`] : []),
      ...(from_campaign ? [recipientOf(bind(from_campaign.campaign_id), bind(from_campaign.statuses))] : []),
    ],
    exclusions: excluded.map((segment) => segmentCondition(segment, bind)),
  };
}

const recipientOf = (campaign: string, statuses: string) => `exists (
  select 1
    from campaign_recipients o
   where o.organization_id = $1 and o.campaign_id = ${campaign}::uuid and o.contact_id = k.id and not o.is_extra
     and o.status = any(${statuses}::text[]))`;

/** Added by hand or by a file. */
export const addedTo = (campaignId: string, bind: Bind) => `exists (
  select 1
    from campaign_recipients a
   where a.organization_id = $1 and a.campaign_id = ${bind(campaignId)}::uuid and a.contact_id = k.id and not a.is_extra)`;
