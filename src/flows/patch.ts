import type { OwnTx } from '../platform/ledger/tx.ts';
import { assertRevision } from '../platform/revision.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type DataExchangeChange, dataExchangeColumns } from './data-exchange.ts';
import type { FlowJson } from './document/flow-json.ts';
import type { FlowCategory } from './flow.entity.ts';
import { type FlowHead, type FlowRow, flowToChange, getFlow, readFlowJson } from './flow-row.ts';
import { changedDocument, type GivenDocument } from './given-document.ts';
import { assertIdle, assertMayMove, assertNotDeprecated } from './refusals.ts';
import { channelColumns, type FlowChange, type VersionBound, writeDocument, writeFlow } from './write.ts';

export type FlowPatch = GivenDocument & {
  name?: string;
  category?: FlowCategory;
  channel_id?: string | null;
  data_exchange?: DataExchangeChange;
  revision?: number;
};

/**
 * What is not given stays, and what the provider has stays until a push. Needs the flow's lock. Throws 404, 422, and 409 for a stale
 * revision, a taken name, a deprecated flow and a channel that it cannot move to.
 */
export async function patchFlow(
  own: OwnTx,
  { id, actor }: { id: string; actor: string },
  patch: FlowPatch,
  { secrets, bound }: { secrets: Secrets; bound: VersionBound },
): Promise<FlowRow> {
  const flow = await flowToChange(own, id);
  const { revision, name, category, channel_id, data_exchange } = patch;
  assertRevision('flow', flow.revision, revision);
  const document = await changedDocument(patch, flow, () => readFlowJson(own, id));
  const shown: FlowChange = {
    ...(name !== undefined && name !== flow.name && { name }),
    ...(category !== undefined && category !== flow.category && { category, categories: [category] }),
    ...(await movedTo(own, flow, channel_id)),
  };
  if (document || Object.keys(shown).length > 0) assertNotDeprecated(flow);
  const change = { ...shown, ...exchanged(flow, data_exchange, secrets) };
  if (document) return writeDocument(own, flow, document, { why: 'edit', actor }, bound, change);
  if (Object.keys(change).length > 0) await writeFlow(own, flow, change);
  return getFlow(own, id);
}

async function movedTo(own: OwnTx, flow: FlowHead, channelId: string | null | undefined): Promise<FlowChange> {
  if (channelId === undefined || channelId === flow.channel_id) return {};
  const columns = await channelColumns(own, channelId);
  assertIdle(flow);
  assertMayMove(flow, columns.account_id);
  return columns;
}

function exchanged(flow: FlowHead, change: DataExchangeChange | undefined, secrets: Secrets): FlowChange {
  if (change === undefined) return {};
  const columns = dataExchangeColumns(change, flow, secrets);
  // Sealed anew, equal headers are other text: what was given is written.
  const isSame =
    columns.data_exchange_url === flow.data_exchange_url && columns.data_exchange_headers === flow.data_exchange_headers;
  return isSame ? {} : columns;
}

/** The client's own document, however large, in place of the present one. The same refusals. */
export async function putFlowJson(
  own: OwnTx,
  { id, actor, revision }: { id: string; actor: string; revision?: number },
  flowJson: FlowJson,
  bound: VersionBound,
): Promise<FlowRow> {
  const flow = await flowToChange(own, id);
  assertRevision('flow', flow.revision, revision);
  const document = await changedDocument({ flow_json: flowJson }, flow, async () => flowJson);
  if (!document) return getFlow(own, id);
  assertNotDeprecated(flow);
  return writeDocument(own, flow, document, { why: 'edit', actor }, bound);
}
