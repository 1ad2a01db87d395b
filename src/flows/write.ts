import type { InferEntity } from '@mikro-orm/core';
import type { Channel } from '../channels/channel.entity.ts';
import { now } from '../platform/database/columns.ts';
import type { Change } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Flow, type VersionReason } from './flow.entity.ts';
import { type FlowHead, type FlowRow, getFlow } from './flow-row.ts';
import { builderVersion, type NewDocument } from './given-document.ts';
import { dropVersionsBeyond, keepVersion } from './keep-version.ts';
import { refuseTakenName } from './refusals.ts';

export type FlowChange = Change<InferEntity<typeof Flow>>;
type Why = { why: VersionReason; actor: string };

/** Of the installation: see FLOW_VERSIONS_MAX_BYTES. */
export type VersionBound = { flowVersionsMaxBytes: number };

/** The columns of a document. */
export const documentColumns = ({ labels: _labels, screens: _screens, sha256, ...document }: NewDocument) => ({
  ...document,
  builder_version: builderVersion,
  local_sha256: sha256,
});

/** A revision more, whatever changed. Needs the flow's lock. Throws 409 for a name that is taken. */
export async function writeFlow(own: OwnTx, flow: FlowHead, change: FlowChange): Promise<void> {
  await own.update(Flow, { id: flow.id }, { ...change, revision: flow.revision + 1, updated_at: now() }).catch(refuseTakenName);
}

/** A new present document, and its version. Needs the flow's lock. */
export async function writeDocument(
  own: OwnTx,
  flow: FlowHead,
  document: NewDocument,
  why: Why,
  bound: VersionBound,
  more: FlowChange = {},
): Promise<FlowRow> {
  await writeFlow(own, flow, { ...more, ...documentColumns(document), version: flow.version + 1 });
  await keepVersion(own, flow.id, { ...document, ...why });
  await dropVersionsBeyond(own, flow.id, bound.flowVersionsMaxBytes);
  return getFlow(own, flow.id);
}

/** SQL: a lock on the channel's row, which its deletion takes first too: no flow and no key comes to a channel that goes. */
const heldChannel = `
  select id, account_id, status
    from channels
   where organization_id = $1
     and id = $2
     and deleted_at is null
     for share`;

/** Until the transaction's end. Throws 404. */
export async function holdChannel(own: OwnTx, channelId: string) {
  const [channel] = await own.sql<RowOf<typeof Channel, 'id' | 'account_id' | 'status'>>(heldChannel, [channelId]);
  if (!channel) throw notFound('Channel');
  return channel;
}

/** Throws 404. */
export async function channelColumns(own: OwnTx, channelId: string | null) {
  if (channelId === null) return { channel_id: null, account_id: null };
  const channel = await holdChannel(own, channelId);
  return { channel_id: channel.id, account_id: channel.account_id };
}
