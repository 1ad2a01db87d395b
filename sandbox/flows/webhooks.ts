import type { State } from '../state.ts';
import type { Flow, FlowStatus } from './store.ts';

/** The time is that of the change, also where the webhook is late. */
export function tellFlow(state: State, wabaId: string, value: object, time = Math.floor(Date.now() / 1_000), copies = 1): void {
  const entry = [{ id: wabaId, time, changes: [{ value, field: 'flows' }] }];
  for (let copy = 0; copy < copies; copy += 1)
    state.webhooks.schedule(wabaId, state.behaviour.delay_ms, () => ({ object: 'whatsapp_business_account', entry }));
}

type Asked = { method: string; path: string };

/** Changes the status, and tells it unless a fault of the request keeps that back. */
export function setStatus(state: State, flow: Flow, status: FlowStatus, asked?: Asked, time?: number): void {
  const before = flow.status;
  if (before === status) return;
  flow.status = status;
  if (asked && state.faults.take('drop_webhooks', asked.method, asked.path)) return;
  const copies = asked && state.faults.take('duplicate_webhook', asked.method, asked.path) ? 2 : 1;
  const message = `Flow ${flow.name} changed status from ${before} to ${status}`;
  const value = { event: 'FLOW_STATUS_CHANGE', message, flow_id: flow.id, old_status: before, new_status: status };
  tellFlow(state, flow.wabaId, value, time, copies);
}
