import { now } from '../platform/database/columns.ts';
import type { Owned } from '../platform/database/own.ts';
import { flowStatusUpdate } from '../platform/events/flow-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Flow, FlowStatus } from './flow.entity.ts';

export type FlowRecord = Owned<typeof Flow>;

/** Needs the flow's lock. */
export function setStatus(own: OwnTx, flow: FlowRecord, status: FlowStatus): void {
  const previous = flow.status;
  flow.status_at = now();
  if (previous === status) return;
  flow.status = status;
  if (status === 'published' && previous === 'draft') flow.published_at = now();
  const { id, channel_id } = flow;
  own.emit(flowStatusUpdate, {
    flow_id: id,
    status,
    previous_status: previous,
    channel_id,
    organization_id: own.organizationId,
  });
}
