import { demoFlow } from '../../sandbox/demo-flow.ts';
import type { FlowJson } from '../../src/flows/document/flow-json.ts';
import { Flow } from '../../src/flows/flow.entity.ts';
import { importFlow, newFlowId } from '../../src/flows/import.ts';
import { documentOf } from '../../src/flows/take-provider.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { createTransact } from '../../src/platform/ledger/transact.ts';

type Where = { database: Database; own: Own };

const flowOf = statement((select, { channelId }: { channelId: string }) =>
  select(Flow).select('id').where('channel_id', '=', channelId).where('provider_flow_id', '=', demoFlow.id),
);

/**
 * The published flow that the sandbox's account has from the start, as POST /v1/flows/import would store it: an import takes one call a
 * second, for which a start does not wait. What is here already is kept.
 */
export async function prepareFlow({ database, own }: Where, channelId: string): Promise<{ id: string }> {
  const [known] = await flowOf(own, { channelId });
  if (known) return known;
  const { id: providerId, name, flow_json } = demoFlow;
  const id = newFlowId();
  const flow = {
    ...{ id: providerId, name, categories: ['survey'], status: 'published' as const },
    ...{ validationErrors: [], jsonVersion: flow_json.version, dataApiVersion: '', endpointUri: '' },
    ...{ previewUrl: null, previewExpiresAt: null },
  };
  const document = await documentOf(flow_json as FlowJson, { id, name });
  const transact = transactFor(
    createTransact(database, () => undefined),
    own.organizationId,
  );
  const outcome = await importFlow(transact, { id, channelId }, { flow, document, readAt: new Date().toISOString() });
  if (outcome !== 'imported') throw new Error(`The demo's flow "${name}" could not be stored: ${outcome}`);
  return { id };
}
