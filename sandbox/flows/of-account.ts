import type { Account } from '../accounts.ts';
import { readDocument } from './document.ts';
import type { Flows } from './store.ts';

export function addFlowsOf(flows: Flows, { waba_id: wabaId, flows: own = [] }: Account): void {
  for (const { flow_json, ...flow } of own)
    flows.add({ ...flow, wabaId, status: 'PUBLISHED', endpointUri: null, document: readDocument(JSON.stringify(flow_json)) });
}
