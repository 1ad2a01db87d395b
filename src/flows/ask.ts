import { Channel } from '../channels/channel.entity.ts';
import { findChannel } from '../channels/queries.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, invalidField, maxDetails, notFound } from '../platform/errors.ts';
import { Job } from '../platform/ledger/jobs.entity.ts';
import { accountPool, ensurePool } from '../platform/ledger/pools.ts';
import type { Enqueued, OwnTx } from '../platform/ledger/tx.ts';
import { now as nowMs } from '../platform/time/clock.ts';
import { Flow, type FlowWork } from './flow.entity.ts';
import { flowLock } from './flow-row.ts';
import { actionOf, type FlowPayload, type FlowWay, flowJobs, importFlowsJob, importLane } from './jobs.ts';
import { assertMove } from './moves.ts';
import type { FlowRecord } from './told.ts';

/**
 * One call a second as the provider counts, some of which take longer to arrive than others. Its limit is 5,000 an hour, of a new account 200;
 * a push takes three to six.
 */
const width = 4;
const callsPerSecond = 0.9;

const liveJob = statement((select, { lane }: { lane: string }) =>
  select(Job)
    .select(['id', 'name', 'payload'])
    .where('lane', '=', lane)
    .where('state', 'in', ['blocked', 'waiting', 'queued'])
    .orderBy('seq', 'desc')
    .limit(1),
);

const channelOfAccount = statement((select, { account_id }: { account_id: string }) =>
  select(Channel).select('id').where('account_id', '=', account_id).where('deleted_at', 'is', null).limit(1),
);

/** Its account has no channel left: whatever its status, nothing more can be done with it here. */
async function isOutOfReach(own: OwnTx, { account_id, doing }: FlowRecord): Promise<boolean> {
  return account_id !== null && !doing && (await channelOfAccount(own, { account_id })).length === 0;
}

/** Without an operation it is as was asked already. */
export type Asked = { flow: FlowRecord; operationId?: string };

type Request = { work: FlowWork; way?: FlowWay };

/** Needs the flow's lock. Throws 404; 409 where the status, the channel or other work is in the way; 422 for a flow that the provider would refuse. */
export async function askOfFlow(own: OwnTx, id: string, { work, way = '' }: Request): Promise<Asked> {
  own.assertLocked(flowLock(id));
  const flow = await own.findOne(Flow, { id });
  if (!flow || flow.doing === 'delete') throw notFound('Flow');
  if (work === 'delete' && flow.status !== 'draft' && (await isOutOfReach(own, flow))) {
    await own.delete(Flow, { id });
    return { flow };
  }
  assertMove(flow.status, actionOf(work, way));
  if (isReached(flow, work, way) && !flow.doing) return { flow };
  const accountId = await reachableAccount(own, flow, work);
  if (accountId === undefined) {
    await own.delete(Flow, { id });
    return { flow };
  }
  const joined = await liveWork(own, flow, { work, way });
  if (joined) return { flow, operationId: joined };
  if (work === 'push' || work === 'publish') assertValid(flow, work);
  const isNowhere = !flow.provider_flow_id && !flow.asked_at;
  if (work === 'delete' && isNowhere) {
    await own.delete(Flow, { id });
    return { flow };
  }
  flow.doing = work;
  flow.failure = null;
  // Kept while the provider may have made it.
  if (flow.provider_flow_id) flow.asked_at = null;
  await own.flush();
  return { flow, operationId: await enqueue(own, flowJobs[work], { flow_id: id, way }, { lane: flowLock(id), accountId }) };
}

export const hasChanges = (flow: FlowRecord) =>
  flow.pushed_sha256 !== flow.local_sha256 ||
  flow.pushed_name !== flow.name ||
  flow.pushed_categories?.join() !== flow.categories.join();

/** The provider has the address of a flow's endpoint, and may have another server's: only a look there tells. */
export const asksHere = (flow: Pick<FlowRecord, 'data_api_version' | 'data_exchange_url'>) =>
  flow.data_api_version !== '' && flow.data_exchange_url !== null;

/** Shown until then: a page that opens it needs a while. */
const previewLeastMs = 60_000;

function isReached(flow: FlowRecord, work: FlowWork, way: FlowWay): boolean {
  if (work === 'publish') return flow.status === 'published' && !hasChanges(flow) && !asksHere(flow);
  if (work === 'deprecate') return flow.status === 'deprecated';
  if (work === 'preview' && way !== 'renew')
    return Boolean(flow.preview_url) && Date.parse(flow.preview_expires_at ?? '') > nowMs() + previewLeastMs;
  return false;
}

/** Undefined: nobody can delete it at the provider any more, nor will anything come of it here. */
async function reachableAccount(own: OwnTx, flow: FlowRecord, work: FlowWork): Promise<string | undefined> {
  const isMade = work === 'push' || work === 'publish';
  if (!flow.provider_flow_id && !isMade && work !== 'delete')
    throw new AppError('conflict', 'The provider does not have this flow: push it first');
  if (!flow.channel_id || !flow.account_id) {
    if (work === 'delete') return '';
    throw invalidField('channel_id', 'The flow has no channel on which the provider could be asked', 'required');
  }
  if (work === 'delete' && !flow.provider_flow_id && !flow.asked_at) return flow.account_id;
  const channel = await findChannel(own, flow.channel_id);
  if (!channel && work === 'delete' && !flow.doing) return undefined;
  if (channel?.status !== 'connected')
    throw new AppError('conflict', `The flow's channel cannot reach the provider: it is ${channel?.status ?? 'deleted'}`);
  return flow.account_id;
}

/** The same, asked again while it is under way, is the same operation, where an answer that was read before says as much. */
async function liveWork(own: OwnTx, { id, doing }: FlowRecord, { work, way }: Request): Promise<string | undefined> {
  if (!doing) return undefined;
  const [live] = await liveJob(own, { lane: flowLock(id) });
  const isSame = live?.name === flowJobs[work].name && (live.payload as FlowPayload).way === way;
  if (isSame && work !== 'push' && work !== 'publish') return live.id;
  const message = `Another operation of this flow is under way: flows.${doing}`;
  throw new AppError('conflict', message, {
    details: [{ code: 'flow.busy', message, ...(live && { value: live.id }) }],
    retryAfterSeconds: 5,
  });
}

type Fault = { severity?: unknown; error?: unknown; message?: unknown; path?: unknown };

/** A document that is at the provider already has its own verdict. */
function assertValid(flow: FlowRecord, work: FlowWork): void {
  const isThere = work === 'publish' && !hasChanges(flow);
  const faults = [...flow.faults, ...(isThere ? flow.provider_faults : [])] as Fault[];
  const errors = faults.filter(({ severity }) => severity !== 'warning');
  if (errors.length === 0) return;
  throw new AppError('flow_invalid', `The flow has ${errors.length} faults: see validation_errors`, {
    details: errors.slice(0, maxDetails).map(({ error, message, path }) => ({
      message: String(message),
      code: String(error),
      ...(path ? { field: String(path) } : {}),
    })),
  });
}

type Order = { lane: string; accountId: string };

/** One management call after another, at the account's pace. */
export async function enqueue<Payload extends Record<string, string>>(
  own: OwnTx,
  contract: Enqueued<Payload>,
  payload: Payload,
  { lane, accountId }: Order,
): Promise<string> {
  const pool = accountPool(own.organizationId, accountId);
  await ensurePool(own, pool, width, callsPerSecond);
  return own.enqueue(contract, payload, { lane, pool });
}

/** All flows of the channel's account that are not here. The operation's id: the one under way, however often it is asked. */
export async function askForImport(own: OwnTx, channel: { id: string; account_id: string }): Promise<string> {
  const lane = importLane(channel.id);
  own.assertLocked(lane);
  const [live] = await liveJob(own, { lane });
  if (live) return live.id;
  return enqueue(own, importFlowsJob, { channel_id: channel.id }, { lane, accountId: channel.account_id });
}
