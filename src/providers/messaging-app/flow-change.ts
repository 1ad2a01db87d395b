import { cut } from '../../platform/cut.ts';
import type { FlowStatus } from './flow-calls.ts';
import { flowStatusOf } from './flow-replies.ts';
import { type Json, textOf } from './json.ts';
import { timeOfEntry } from './template-change.ts';

/** What the provider tells of a flow: another status, or an alert about it or its endpoint. */
export type InboundFlowChange = {
  kind: 'flow_change';
  accountId: string;
  providerFlowId: string;
  /** The provider's clock, to the second. */
  at?: Date;
  status?: FlowStatus;
  previousStatus?: FlowStatus;
  alert?: FlowAlert;
};

export type FlowAlertKind =
  | 'client_error_rate'
  | 'endpoint_error_rate'
  | 'endpoint_latency'
  | 'endpoint_availability'
  | 'version_expiry';

export type FlowAlert = {
  kind: FlowAlertKind;
  /** A warning about a version is never taken back. */
  state: 'activated' | 'deactivated';
  /** The provider's words. */
  message: string;
  /** What was crossed, and what was measured: percent, or milliseconds for a latency. */
  threshold?: number;
  value?: number;
};

const longestMessage = 1_000;

/** By the provider's word, with the field that holds what was measured. */
const alerts = new Map<string, { kind: FlowAlertKind; measured?: string }>([
  ['CLIENT_ERROR_RATE', { kind: 'client_error_rate', measured: 'error_rate' }],
  ['ENDPOINT_ERROR_RATE', { kind: 'endpoint_error_rate', measured: 'error_rate' }],
  ['ENDPOINT_LATENCY', { kind: 'endpoint_latency', measured: 'p90_latency' }],
  ['ENDPOINT_AVAILABILITY', { kind: 'endpoint_availability', measured: 'availability' }],
  ['FLOW_VERSION_EXPIRY_WARNING', { kind: 'version_expiry' }],
]);

export const isFlowField = (field: unknown) => field === 'flows';

/** Undefined for an event of another kind. Throws for what cannot be understood. */
export function flowChangeIn(value: Json, { entryId, time }: { entryId: string; time?: number }): InboundFlowChange | undefined {
  const event = textOf(value.event);
  const alert = alerts.get(event);
  if (event !== 'FLOW_STATUS_CHANGE' && !alert) return undefined;
  const providerFlowId = cut(textOf(value.flow_id), 128);
  if (!providerFlowId) throw new Error('Not understood: no flow_id');
  const at = timeOfEntry(time);
  const change = { kind: 'flow_change' as const, accountId: entryId, providerFlowId, ...(at && { at }) };
  return alert ? { ...change, alert: toAlert(value, alert) } : { ...change, ...toStatuses(value) };
}

function toStatuses({ old_status, new_status }: Json) {
  const [status, previousStatus] = [flowStatusOf(new_status), flowStatusOf(old_status)];
  if (!status) throw new Error('Not understood: status of a flow');
  return { status, ...(previousStatus && { previousStatus }) };
}

function toAlert(value: Json, { kind, measured }: { kind: FlowAlertKind; measured?: string }): FlowAlert {
  const state = textOf(value.alert_state).toLowerCase() === 'deactivated' ? 'deactivated' : 'activated';
  const message = cut(textOf(value.message) || textOf(value.warning), longestMessage);
  return { kind, state, message, ...given('threshold', value.threshold), ...(measured && given('value', value[measured])) };
}

const given = (name: 'threshold' | 'value', value: unknown) => (Number.isFinite(value) ? { [name]: value as number } : {});
