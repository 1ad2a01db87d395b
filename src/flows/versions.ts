import { isDeepStrictEqual } from 'node:util';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { list } from '../platform/listing/paging.ts';
import { assertRevision } from '../platform/revision.ts';
import { FlowVersion } from './flow.entity.ts';
import { type FlowRow, flowToChange, getFlow } from './flow-row.ts';
import { inspectDocument } from './inspect.ts';
import { assertNotDeprecated } from './refusals.ts';
import { type VersionBound, writeDocument } from './write.ts';

const columns = [
  'id',
  'flow_id',
  'number',
  'builder_version',
  'json_version',
  'data_api_version',
  'sha256',
  'why',
  'actor',
  'created_at',
] as const;
export type VersionSummary = RowOf<typeof FlowVersion, (typeof columns)[number]>;
export type VersionRow = VersionSummary & RowOf<typeof FlowVersion, 'builder_json' | 'flow_json'>;

/** Newest first, those that can be restored: the last 50 as far as the organization keeps their bytes, and the one that the provider has. */
export const listVersions = list((select, { flowId }: { flowId: string }) =>
  select(FlowVersion).select(columns).where('flow_id', '=', flowId).where('flow_json', 'is not', null),
);

const versionById = statement((select, { flowId, id }: { flowId: string; id: string }) =>
  select(FlowVersion)
    .select([...columns, 'builder_json', 'flow_json'])
    .where('id', '=', id)
    .where('flow_id', '=', flowId)
    .where('flow_json', 'is not', null),
);

/** Throws 404. */
export async function getVersion(own: Own, flowId: string, id: string): Promise<VersionRow> {
  const [row] = await versionById(own, { flowId, id });
  if (!row) throw notFound('Flow version');
  return row;
}

/** The old document is the present one again, as a version of its own. Needs the flow's lock. Throws 404, 409 for a stale revision. */
export async function restoreVersion(
  own: OwnTx,
  { flowId, id, actor, revision }: { flowId: string; id: string; actor: string; revision?: number },
  bound: VersionBound,
): Promise<FlowRow> {
  const flow = await flowToChange(own, flowId);
  const version = await getVersion(own, flowId, id);
  assertRevision('flow', flow.revision, revision);
  assertNotDeprecated(flow);
  const builder = version.builder_json!;
  if (version.sha256 === flow.local_sha256 && isDeepStrictEqual(builder, flow.builder_json)) return getFlow(own, flowId);
  const inspected = await inspectDocument(JSON.parse(version.flow_json!), {
    builder: builder.mode === 'visual' ? builder : undefined,
    jsonVersion: version.json_version,
  });
  return writeDocument(own, flow, { ...inspected, builder_json: builder }, { why: 'restore', actor }, bound);
}
