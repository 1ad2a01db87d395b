import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type AnswerLabels, labelsOf, screensOf } from './document/labels.ts';
import { FlowVersion, type VersionReason } from './flow.entity.ts';
import type { FlowRecord } from './told.ts';

export const maxVersions = 50;

/** SQL: the documents stay in the database. */
const keep = `
  insert into flow_versions (id, organization_id, flow_id, number, builder_json, builder_version, flow_json, json_version,
    data_api_version, sha256, labels, screens, why, actor)
  select uuidv7(), organization_id, id, version, builder_json, builder_version, flow_json, json_version,
         data_api_version, local_sha256, $3, $4, $5, $6
    from flows
   where organization_id = $1
     and id = $2`;

/** SQL: two ends of one set. What was sent keeps its labels, for answers that are still to come. */
const dropOld = `
  with old as materialized (
    select v.id,
           exists (
             select 1
               from flow_sends s
              where s.organization_id = $1 and s.flow_id = $2 and s.version = v.number) as is_sent
      from flows f
      join flow_versions v on v.organization_id = $1 and v.flow_id = f.id
     where f.organization_id = $1
       and f.id = $2
       and v.number <= f.version - $3
       and v.number is distinct from f.provider_version
       and v.flow_json is not null),
  emptied as (
    update flow_versions v
       set builder_json = null, flow_json = null
      from old
     where old.is_sent
       and v.organization_id = $1
       and v.id = old.id)
  delete from flow_versions v
   using old
   where not old.is_sent
     and v.organization_id = $1
     and v.id = old.id`;

/** A change that leaves no more than this behind is not worth the look: so the bound may be passed by a few hundred MB of small documents. */
const smallBytes = 16 * 1024;

/**
 * SQL: sums over the rows of an organization. The lengths are read without the documents. What another transaction is dropping is left to
 * it: it has no lock of the other flows.
 */
const dropBeyond = `
  with large as materialized (
    select octet_length(v.flow_json) > $4 as is_large
      from flows f
      join flow_versions v on v.organization_id = f.organization_id and v.flow_id = f.id and v.number = f.version - 1
     where f.organization_id = $1
       and f.id = $2),
  sized as materialized (
    select v.id,
           sum(octet_length(v.flow_json)::bigint + coalesce(pg_column_size(v.builder_json), 0)) over (order by v.id desc) as bytes
      from flow_versions v
      join flows f on f.organization_id = v.organization_id and f.id = v.flow_id
     where (select is_large from large)
       and v.organization_id = $1
       and v.flow_json is not null
       and v.number < f.version
       and v.number is distinct from f.provider_version),
  old as materialized (
    select v.id,
           exists (
             select 1
               from flow_sends s
              where s.organization_id = $1 and s.flow_id = v.flow_id and s.version = v.number) as is_sent
      from sized
      join flow_versions v on v.organization_id = $1 and v.id = sized.id
     where sized.bytes > $3
       for update of v skip locked),
  emptied as (
    update flow_versions v
       set builder_json = null, flow_json = null
      from old
     where old.is_sent
       and v.organization_id = $1
       and v.id = old.id)
  delete from flow_versions v
   using old
   where not old.is_sent
     and v.organization_id = $1
     and v.id = old.id`;

/** What the organization keeps of former documents, of all its flows: the oldest go. After `keepVersion`. */
export const dropVersionsBeyond = (own: OwnTx, flowId: string, maxBytes: number): Promise<unknown> =>
  own.sql(dropBeyond, [flowId, maxBytes, smallBytes]);

/** Of the present document of a flow, under its lock. */
export async function keepVersion(
  own: OwnTx,
  flowId: string,
  { labels, screens, why, actor }: { labels: AnswerLabels; screens: string[] | null; why: VersionReason; actor: string },
): Promise<void> {
  await own.sql(keep, [flowId, JSON.stringify(labels), screens, why, actor]);
  await own.sql(dropOld, [flowId, maxVersions]);
}

/** SQL: a lock, which `dropBeyond` passes over. */
const holdVersion = `
  select 1
    from flow_versions
   where organization_id = $1
     and flow_id = $2
     and number = $3
     for share`;

export type SentVersion = Pick<FlowRecord, 'version' | 'builder_version' | 'flow_json' | 'json_version' | 'data_api_version'> &
  Pick<FlowRecord, 'local_sha256'>;

/**
 * Of the version that the provider has from now on, before it is noted as such. It may have been dropped while it was under way; what is sent
 * refers to it, so that its labels and screens are there again, as of every version that was sent.
 */
export async function keepSent(own: OwnTx, flowId: string, sent: SentVersion): Promise<void> {
  const held = await own.sql(holdVersion, [flowId, sent.version]);
  if (held.length > 0) return;
  const document: unknown = JSON.parse(sent.flow_json);
  await own.insert(FlowVersion, {
    id: uuidv7(),
    flow_id: flowId,
    number: sent.version,
    builder_json: null,
    builder_version: sent.builder_version,
    flow_json: null,
    json_version: sent.json_version,
    data_api_version: sent.data_api_version,
    sha256: sent.local_sha256,
    labels: labelsOf(document),
    screens: screensOf(document),
    why: 'edit',
  });
}
