import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { flowAlert } from '../platform/events/flow-events.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { FlowAlert, InboundFlowChange } from '../providers/messaging-app/flow-change.ts';
import { Flow, type FlowStatus } from './flow.entity.ts';
import { flowLock } from './flow-row.ts';
import { providerMayMove } from './moves.ts';
import { type FlowRecord, setStatus } from './told.ts';

/** SQL: joins the channels. An app of one channel's own speaks for the account of this channel alone. */
const meant = `
  select f.id
    from flows f
   where f.organization_id = $1
     and f.provider_flow_id = $2
     and f.account_id = $3
     and ($4::uuid is null
          or exists (
            select 1
              from channels c
             where c.organization_id = $1
               and c.id = $4
               and c.account_id = $3))`;

/** `old`: the provider, or we ourselves, told something later already. `unknown`: a flow that is not here. */
export const flowNewsOutcomes = ['applied', 'old', 'unknown'] as const;
export type FlowNewsOutcome = (typeof flowNewsOutcomes)[number];

/** `onlyChannelId`: the channel whose own app sent the webhook. null: every channel of the account. */
export async function applyFlowChange(
  own: Own,
  transact: TenantTransact,
  change: InboundFlowChange,
  onlyChannelId: string | null,
): Promise<FlowNewsOutcome> {
  const { accountId, providerFlowId } = change;
  const [found] = await own.sql<RowOf<typeof Flow, 'id'>>(meant, [providerFlowId, accountId, onlyChannelId]);
  if (!found) return 'unknown';
  return transact({ locks: [flowLock(found.id)] }, async (tx) => {
    const flow = await tx.own.findOne(Flow, { id: found.id });
    if (!flow) return 'unknown';
    return change.alert ? takeAlert(tx.own, flow, change.alert, change.at) : takeTold(tx.own, flow, change);
  });
}

const ofProviderAlone: FlowStatus[] = ['published', 'throttled', 'blocked'];
const secondMs = 1_000;
/** The provider's clock may be behind ours by as much. */
const skewMs = 60_000;

/**
 * Our own acts count with our clock, to the millisecond; the provider tells whole seconds of its own, so that what it decided soon after such an act
 * may look older. A change that begins with the present status, between those that it alone decides about, follows the act: no act of ours moves from
 * one of them to another. So does a deprecation, which is final. Beyond a second it must be news: a copy of an older one may begin with the same status.
 */
function followsOurAct(
  flow: FlowRecord,
  { status, previousStatus: before }: InboundFlowChange,
  { olderMs, isNews }: Age,
): boolean {
  if (olderMs >= (isNews ? skewMs : secondMs)) return false;
  if (!before || !status || before !== flow.status || !ofProviderAlone.includes(before)) return false;
  return status === 'deprecated' || ofProviderAlone.includes(status);
}

/** `olderMs`: than what is known; below 0: newer. `isNews`: newer than all that the provider has told. */
type Age = { olderMs: number; isNews: boolean };

/** Webhooks come in any order, for days: the newest time wins. */
function takeTold(own: OwnTx, flow: FlowRecord, change: InboundFlowChange): FlowNewsOutcome {
  const { status, at } = change;
  if (!status) return 'old';
  const olderMs = at ? Date.parse(flow.told_at ?? '') - at.getTime() : 0;
  const isNews = at !== undefined && !(Date.parse(flow.heard_at ?? '') >= at.getTime());
  if (isNews) flow.heard_at = at.toISOString();
  if (olderMs > 0 && !followsOurAct(flow, change, { olderMs, isNews })) return 'old';
  // Of one second the words come in any order, and again: the one that begins elsewhere was told before the last one.
  if (at && olderMs === 0 && change.previousStatus && change.previousStatus !== flow.status) return 'old';
  if (at && !(olderMs > 0)) flow.told_at = at.toISOString();
  if (!providerMayMove(flow.status, status)) return 'old';
  setStatus(own, flow, status);
  return 'applied';
}

/** The same webhook again tells nothing. */
function takeAlert(own: OwnTx, flow: FlowRecord, { kind, state }: FlowAlert, at: Date | undefined): FlowNewsOutcome {
  const last = flow.alerts[kind];
  const time = at?.toISOString() ?? '';
  if (last && (last.at > time || (last.at === time && last.state === state))) return 'old';
  flow.alerts = { ...flow.alerts, [kind]: { state, at: time } };
  own.emit(flowAlert, { flow_id: flow.id, kind, state, organization_id: own.organizationId });
  return 'applied';
}
