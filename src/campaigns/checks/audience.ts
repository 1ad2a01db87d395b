import { sql } from 'kysely';
import { Contact } from '../../contacts/contact.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError } from '../../platform/errors.ts';
import { segmentsOf } from '../../segments/segments.ts';
import { type Filter, readSelection } from '../../segments/selection.ts';
import type { Fault } from '../../templates/faults.ts';
import type { Audience } from '../campaign.entity.ts';
import { findCampaign } from '../campaign-row.ts';

export const maxContactIds = 1_000;
export const maxSegmentsOfAudience = 50;
export const unknownContact = 'contact.unknown';

const knownContacts = statement((select, { ids }: { ids: string[] }) =>
  select(Contact).select('id').where('id', '=', sql<string>`any(${ids}::uuid[])`),
);

/** Paths begin with `audience`. */
export async function audienceFaults(own: Own, audience: Audience): Promise<Fault[]> {
  const { segment_ids = [], exclude_segment_ids = [], contact_ids = [], from_campaign, search } = audience;
  const filters = audience.filters as Filter[] | undefined;
  return [
    ...(await faultsOf(() => segmentsOf(own, segment_ids, 'audience.segment_ids'))),
    ...(await faultsOf(() => segmentsOf(own, exclude_segment_ids, 'audience.exclude_segment_ids'))),
    ...(await faultsOf(() => readSelection({ search, filters }), 'audience.')),
    ...(await contactFaults(own, contact_ids)),
    ...(await campaignFaults(own, from_campaign)),
  ];
}

/** Nobody can be in it, whatever contacts there are. */
export const isEmptyAudience = ({ segment_ids, filters, search, tags, contact_ids, from_campaign }: Audience): boolean =>
  !search?.trim() && !from_campaign && [segment_ids, filters, tags, contact_ids].every((given) => !given?.length);

/** The faults of a check that throws a 422. */
async function faultsOf(check: () => unknown, prefix = ''): Promise<Fault[]> {
  try {
    await check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 422) throw error;
    const details = error.details ?? [];
    return details.map(({ field, code = 'invalid', message }) => ({ path: [`${prefix}${field}`], code, message }));
  }
}

async function contactFaults(own: Own, ids: string[]): Promise<Fault[]> {
  if (ids.length === 0) return [];
  const known = new Set((await knownContacts(own, { ids })).map(({ id }) => id));
  return ids.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: ['audience', 'contact_ids', index], code: unknownContact, message: 'There is no such contact' }],
  );
}

async function campaignFaults(own: Own, from: Audience['from_campaign']): Promise<Fault[]> {
  if (!from || (await findCampaign(own, from.campaign_id))) return [];
  const path = ['audience', 'from_campaign', 'campaign_id'];
  return [{ path, code: 'campaign.unknown', message: 'There is no such campaign' }];
}
