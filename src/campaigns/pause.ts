import { now } from '../platform/database/columns.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { Job } from '../platform/ledger/jobs.entity.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { assertAllowed, moveCampaign } from './campaign-tx.ts';
import { laterFaults, overFaults, sendingFaults } from './checks/content.ts';
import { throwContentFaults } from './content/faults.ts';
import { readLeft } from './feed/left.ts';
import { campaignLane, prepareCampaignJob, withdrawCampaignJob } from './jobs.ts';
import { endFeed, endStart, endWaitingPrepare, enqueueFeed, enqueuePrepare } from './start-job.ts';

/** After it no message is made: the feed makes them under the same lock. Idempotent. Throws 404, 409. */
export async function pauseCampaign(own: OwnTx, id: string): Promise<CampaignRow> {
  await endFeed(own, id);
  return moveCampaign(own, id, 'pause', { to: 'paused', set: { job_id: null } });
}

/** Idempotent. Throws 404, 409, and, where somebody waits, 422 for a channel or template that cannot be sent with, and past its end. */
export async function resumeCampaign(tx: TenantTx, id: string): Promise<CampaignRow> {
  const { own } = tx;
  const before = await getCampaign(own, id);
  assertAllowed('resume', before);
  if (before.status === 'running') return before;
  const isPrepared = before.prepared?.is_done === true;
  // With nobody left to write to, it only waits for what is under way, and ends.
  if (!isPrepared || (await readLeft(own, id)).has_pending)
    throwContentFaults([...(await (isPrepared ? sendingFaults : laterFaults)(own, before)), ...(await overFaults(own, before))]);
  const job_id = isPrepared ? await enqueueFeed(own, id) : ((await livePrepare(own, id)) ?? (await enqueuePrepare(tx, id)));
  const set = { job_id, alarm: null, resumed_at: now(), phase: isPrepared ? ('sending' as const) : ('preparing' as const) };
  return moveCampaign(own, id, 'resume', { to: 'running', set });
}

/** SQL: in a form that no partial index fits (states.ts). A batch of it may be at work. */
const livePrepareStatement = `
  select id
    from jobs
   where organization_id = $1
     and subject_id = $2
     and name = '${prepareCampaignJob.name}'
     and ${stateIs('state', 'blocked', 'waiting', 'queued')}
   limit 1`;

async function livePrepare(own: OwnTx, id: string): Promise<string | undefined> {
  const [row] = await own.sql<RowOf<typeof Job, 'id'>>(livePrepareStatement, [id]);
  return row?.id;
}

/** After its commit no message of it is claimed: the claim reads the state. Idempotent. Throws 404, 409. */
export async function cancelCampaign(own: OwnTx, id: string): Promise<CampaignRow> {
  const before = await getCampaign(own, id);
  assertAllowed('cancel', before);
  if (before.status === 'cancelled') return before;
  await endStart(own, id);
  await endFeed(own, id);
  await endWaitingPrepare(own, id);
  const job_id = own.enqueue(withdrawCampaignJob, { campaign_id: id }, { lane: campaignLane(id) });
  return moveCampaign(own, id, 'cancel', { to: 'cancelled', set: { withdrawing: true, alarm: null, job_id } });
}
