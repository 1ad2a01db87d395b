import { raw } from '@mikro-orm/core';
import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ProviderFlow, ProviderFlowFault } from '../providers/messaging-app/flow-calls.ts';
import type { FlowFault } from './document/faults.ts';
import { Flow, type FlowStatus, type FlowWork } from './flow.entity.ts';
import { flowLock } from './flow-row.ts';
import { ended } from './jobs.ts';
import { keepSent, type SentVersion } from './keep-version.ts';
import { providerMayMove } from './moves.ts';
import { type FlowRecord, setStatus } from './told.ts';

/** Undefined: nothing is left to do. */
export const openWork = (own: Own, id: string, doing: FlowWork): Promise<FlowRecord | undefined> =>
  own.findOne(Flow, { id, doing });

/** Under its lock, while the work is still to be done. */
export const duringWork = <Result>(
  transact: TenantTransact,
  { id, doing }: { id: string; doing: FlowWork },
  work: (own: OwnTx, flow: FlowRecord) => Promise<Result>,
): Promise<Result | undefined> =>
  transact({ locks: [flowLock(id)] }, async ({ own }) => {
    const flow = await own.findOne(Flow, { id, doing });
    return flow && work(own, flow);
  });

/**
 * From here on the provider may have been asked. With the name of one to be made, by which it is found again. The status, which may have
 * changed since the work began; undefined: nothing is left to do.
 */
export const claimWork = (transact: TenantTransact, id: string, doing: FlowWork, sent: FlowRecord) =>
  duringWork(transact, { id, doing }, async (_own, flow): Promise<FlowStatus> => {
    if (flow.asked_at === null && flow.provider_flow_id === null) {
      flow.pushed_name = sent.name;
      flow.pushed_categories = sent.categories;
    }
    flow.asked_at ??= now();
    return flow.status;
  });

/** The provider's id, as soon as it is known: whatever becomes of the rest, no other flow is made. */
export async function recordId(transact: TenantTransact, id: string, providerFlowId: string): Promise<void> {
  await transact({ locks: [flowLock(id)] }, async ({ own }) => {
    await own.update(Flow, { id, provider_flow_id: null }, { provider_flow_id: providerFlowId, updated_at: now() });
  });
}

export type Exchanged = {
  sent: SentVersion & Pick<FlowRecord, 'name' | 'categories'>;
  /** What it gave back. */
  baseSha256: string | null;
  /** null: it was not asked. */
  faults: ProviderFlowFault[] | null;
  there?: Pick<ProviderFlow, 'status'>;
  /** The database's time before `there` was read: a push goes on for seconds after that. */
  readAt?: string;
};

/** What changed here since it was sent stays a local change. */
export async function settlePushed(own: OwnTx, flow: FlowRecord, exchanged: Exchanged): Promise<void> {
  const { sent, baseSha256, faults, there, readAt } = exchanged;
  await keepSent(own, flow.id, sent);
  flow.pushed_sha256 = sent.local_sha256;
  flow.pushed_name = sent.name;
  flow.pushed_categories = sent.categories;
  flow.provider_version = sent.version;
  flow.base_sha256 = baseSha256;
  flow.drift = null;
  flow.asked_at = null;
  flow.synced_at = now();
  if (faults) flow.provider_faults = faults.map(faultOf);
  const isOlder = Date.parse(flow.status_at ?? '') > Date.parse(readAt ?? '');
  if (there && !isOlder) takeStatus(own, flow, there.status);
}

/** The provider's answer to what was asked of it: what it told before then is older. */
export function takeStatus(own: OwnTx, flow: FlowRecord, status: FlowRecord['status']): void {
  // By the provider's clock a webhook may have had a later time. Later than that one too: a copy of it, which comes at any time, is old.
  flow.told_at = raw(`greatest(told_at + interval '1 millisecond', clock_timestamp())`) as unknown as string;
  if (providerMayMove(flow.status, status)) setStatus(own, flow, status);
}

export const faultOf = (fault: ProviderFlowFault): FlowFault => ({
  source: 'provider',
  severity: 'error',
  error: fault.error,
  error_type: fault.errorType,
  message: fault.message,
  path: fault.path,
  line_start: fault.lineStart,
  line_end: fault.lineEnd,
  column_start: fault.columnStart,
  column_end: fault.columnEnd,
});

/** With the end of the job. */
export async function endWork(
  own: OwnTx,
  id: string,
  doing: FlowWork,
  work: (flow: FlowRecord) => void | Promise<void> = () => {},
): Promise<void> {
  const flow = await own.findOne(Flow, { id, doing });
  if (!flow) return;
  await work(flow);
  ended(flow);
}

/** The provider does not have it any more: a draft of ours alone, which a push makes anew. Needs the flow's lock. */
export async function forgetThere(own: OwnTx, id: string): Promise<void> {
  const flow = await own.findOne(Flow, { id });
  if (!flow) return;
  Object.assign(flow, {
    ...{ provider_flow_id: null, provider_version: null, asked_at: null, drift: null, provider_faults: [] },
    ...{ pushed_sha256: null, pushed_name: null, pushed_categories: null, base_sha256: null },
    ...{ preview_url: null, preview_expires_at: null },
  });
  setStatus(own, flow, 'draft');
}

export async function settleDeleted(own: OwnTx, id: string): Promise<void> {
  await own.delete(Flow, { id, doing: 'delete' });
}
