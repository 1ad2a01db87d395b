import type { Database } from '../../platform/database/database.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { RunRef } from '../../platform/ledger/tx.ts';
import type { Prepared } from '../campaign.entity.ts';
import { findCampaign } from '../campaign-row.ts';
import { insertRecipients, placeAgain, zonesWith } from './place.ts';
import { type Batch, readByHand, readSource } from './read-batch.ts';
import { readAudience } from './sources.ts';

/** Contacts of one transaction. */
export const usualStep = 5_000;
export const maxRecipients = 5_000_000;

export type StepDeps = { database: Database; own: Own; transact: TenantTransact };
/** `done`: the audience is whole. */
export type StepOutcome = 'more' | 'done' | 'too_large';

const first: Prepared = { source: 0, after: null, is_done: false, made: 0 };

/** SQL: the position, the zones and the check of the run in one statement, in the transaction of what was done. */
const moveOn = `
  with moved as (
    update campaigns c
       set prepared = $3::jsonb,
           zones = ${zonesWith('c.zones', '$4')}
     where organization_id = $1
       and id = $2
       and status = 'running'
       and phase = 'preparing'
       and prepared is not distinct from $5::jsonb
    returning 1)
  update jobs
     set progress = jsonb_build_object('recipients', $6::int)
    from moved
   where jobs.organization_id = $1
     and jobs.id = $7
     and jobs.run = $8
     and ${stateIs('jobs.state', 'queued')}
  returning 1`;

/**
 * One step is one transaction: recipients and the position. A killed run loses one step, and a contact becomes a recipient once however
 * often it is walked past. Throws Superseded where the campaign does not prepare any more, or another run has gone on.
 */
export async function takeStep(
  { database, own, transact }: StepDeps,
  campaignId: string,
  job: RunRef,
  { size = usualStep, max = maxRecipients } = {},
): Promise<StepOutcome> {
  const campaign = await findCampaign(own, campaignId);
  if (campaign?.status !== 'running' || campaign.phase !== 'preparing') throw new Superseded();
  const before = campaign.prepared ?? first;
  if (before.is_done) return 'done';
  if (before.made > max) return 'too_large';
  const audience = await readAudience(own, campaign.audience);
  const count = audience.sources.length + 1;
  const look = (): Promise<Batch> => {
    const { source, after } = before;
    if (source === 0) return readByHand(own, campaign, after, size);
    return readSource(database, own, campaign, audience, { source: source - 1, after, size });
  };
  const outdatedBy = (error: unknown) => brokenReference(error) === 'campaign_recipients_contact';
  return transact({ look, locks: () => [], outdatedBy, isLong: true }, async ({ own: tx }, batch) => {
    const made = await (before.source === 0 ? placeAgain : insertRecipients)(tx, campaignId, batch.placed);
    const next = batch.isWhole ? { source: before.source, after: batch.last } : { source: before.source + 1, after: null };
    const after: Prepared = { ...next, is_done: next.source >= count, made: before.made + made };
    const zones = [...new Set(batch.placed.map(({ zone }) => zone))];
    const was = campaign.prepared && JSON.stringify(campaign.prepared);
    const params = [campaignId, JSON.stringify(after), zones, was, after.made, job.id, job.run];
    if ((await tx.sql(moveOn, params)).length === 0) throw new Superseded();
    return after.is_done ? 'done' : 'more';
  });
}
