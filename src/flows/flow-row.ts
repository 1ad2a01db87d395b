import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { FlowJson } from './document/flow-json.ts';
import { Flow } from './flow.entity.ts';

/** The lock of a flow, and the lane of its jobs. */
export const flowLock = (id: string) => subjectLock('flow', id);

type Column =
  | ('id' | 'channel_id' | 'account_id' | 'provider_flow_id' | 'name' | 'category' | 'categories' | 'status' | 'builder_version')
  | ('json_version' | 'data_api_version' | 'faults' | 'provider_faults' | 'version' | 'provider_version' | 'local_sha256')
  | ('pushed_sha256' | 'base_sha256' | 'drift' | 'data_exchange_url' | 'data_exchange_headers' | 'revision' | 'doing')
  | ('asked_at' | 'failure' | 'preview_url' | 'preview_expires_at' | 'published_at' | 'synced_at' | 'created_at' | 'updated_at');

/** What a list shows. */
export type FlowSummary = RowOf<typeof Flow, Column> & { has_local_changes: boolean };
/** What a change is made from: the document that the provider gets may be large. */
export type FlowHead = FlowSummary & RowOf<typeof Flow, 'builder_json'>;
export type FlowRow = FlowHead & RowOf<typeof Flow, 'flow_json'>;

/** SQL of a flow `k`: the provider does not have what stands here. */
export const hasLocalChanges = `(k.pushed_sha256 is distinct from k.local_sha256
  or k.pushed_name is distinct from k.name
  or k.pushed_categories is distinct from k.categories)`;

/** From a table or CTE called `k`. */
export const summaryColumns = `
  k.id, k.channel_id, k.account_id, k.provider_flow_id, k.name, k.category, k.categories, k.status, k.builder_version,
  k.json_version, k.data_api_version, k.faults, k.provider_faults, k.version, k.provider_version, k.local_sha256,
  k.pushed_sha256, k.base_sha256, k.drift, k.data_exchange_url, k.data_exchange_headers, k.revision, k.doing, k.asked_at,
  k.failure, k.preview_url, k.preview_expires_at, k.published_at, k.synced_at, k.created_at, k.updated_at,
  ${hasLocalChanges} as has_local_changes`;

const isShown = `k.doing is distinct from 'delete'`;

/** SQL: these columns are those of the list, which is text. */
const withBuilder = `
  select ${summaryColumns}, k.builder_json
    from flows k
   where k.organization_id = $1
     and k.id = $2
     and ${isShown}`;
const withDocuments = `
  select ${summaryColumns}, k.builder_json, k.flow_json
    from flows k
   where k.organization_id = $1
     and k.id = $2
     and ${isShown}`;

/** With its documents. Undefined for one that is being deleted, too. */
export async function findFlow(own: Own, id: string): Promise<FlowRow | undefined> {
  const [row] = await own.sql<FlowRow>(withDocuments, [id]);
  return row;
}

/** The same; throws 404. */
export async function getFlow(own: Own, id: string): Promise<FlowRow> {
  const row = await findFlow(own, id);
  if (!row) throw notFound('Flow');
  return row;
}

/** For a change. Needs its lock. Throws 404, for one that is being deleted too. */
export async function flowToChange(own: OwnTx, id: string): Promise<FlowHead> {
  own.assertLocked(flowLock(id));
  const [row] = await own.sql<FlowHead>(withBuilder, [id]);
  if (!row) throw notFound('Flow');
  return row;
}

const flowJsonById = statement((select, { id }: { id: string }) => select(Flow).select('flow_json').where('id', '=', id));

/** The present document. Throws 404. */
export async function readFlowJson(own: Own, id: string): Promise<FlowJson> {
  const [row] = await flowJsonById(own, { id });
  if (!row) throw notFound('Flow');
  return JSON.parse(row.flow_json);
}

const anyFlow = statement((select, { id }: { id: string }) =>
  select(Flow).select('id').where('id', '=', id).where(sql<SqlBool>`doing is distinct from 'delete'`),
);

/** Throws 404. */
export async function assertFlow(own: Own, id: string): Promise<void> {
  const found = await anyFlow(own, { id });
  if (found.length === 0) throw notFound('Flow');
}
