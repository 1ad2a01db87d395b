import { FlowResponse, FlowSend } from '../../../src/flows/answer.entity.ts';
import { FlowSecret } from '../../../src/flows/exchange/secret.entity.ts';
import { Flow, FlowVersion } from '../../../src/flows/flow.entity.ts';
import { FlowKey } from '../../../src/flows/key.entity.ts';
import { type Database, storedRows } from './rows.ts';

export const storedFlowResponses = storedRows(FlowResponse);
export const storedFlowSends = storedRows(FlowSend);
export const storedFlowSecrets = storedRows(FlowSecret);
export const storedFlows = storedRows(Flow);
export const storedFlowVersions = storedRows(FlowVersion);
export const storedFlowKeys = storedRows(FlowKey);

/** As a push leaves a flow: the provider has the present document, name and categories. */
export async function markPushed(app: Database, id: string) {
  const { local_sha256, name, categories } = await storedFlows.one(app, id);
  await storedFlows.change(app, id, { pushed_sha256: local_sha256, pushed_name: name, pushed_categories: categories });
}
