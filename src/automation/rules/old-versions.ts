import type { RowOf } from '../../platform/database/tables.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { AutomationRuleVersion } from '../rule.entity.ts';
import { secretsLock } from '../secrets.ts';

/** Of the installation: see RULE_VERSIONS_MAX_BYTES. */
export type VersionBound = { ruleVersionsMaxBytes: number };

/** Former ones of a rule, however small they are: the sum over all of an organization is read at each publication. */
export const maxFormerVersions = 100;
/** What cannot go yet may take as much as that, or twice the bound. */
export const alwaysRoomBytes = 64 * 1024 * 1024;

/** The others go with the next publications. */
const dropAtOnce = 1_000;

/** Runs of a version are as old as it was the present one. */
const hasLiveRun = (rule: string, number: string, replacedAt: string) => `exists (
       select 1
         from automation_runs r
        where r.organization_id = $1
          and r.rule_id = ${rule}
          and r.state in ('queued', 'running')
          and r.version = ${number}
          and r.created_at <= ${replacedAt} + interval '1 hour')`;

/**
 * SQL: sums and places over the rows of an organization. Sizes are those on the disk, known without the definitions. A version may still begin a run
 * shortly after it was replaced, so one of the last hour stays. A row that somebody holds is left to a later publication.
 */
const holdOld = `
  with sized as materialized (
    select v.rule_id, v.number, v.created_at, v.number = a.version as is_present,
           lead(v.created_at) over (partition by v.rule_id order by v.number) as replaced_at,
           row_number() over (partition by v.rule_id order by v.number desc) as place,
           sum(case when v.number = a.version then 0 else pg_column_size(v.definition) end)
             over (order by v.created_at desc, v.rule_id, v.number desc) as bytes
      from automation_rule_versions v
      join automation_rules a on a.organization_id = $1 and a.id = v.rule_id
     where v.organization_id = $1)
  select v.rule_id, v.number, s.replaced_at::text as replaced_at
    from sized s
    join automation_rule_versions v on v.organization_id = $1 and v.rule_id = s.rule_id and v.number = s.number
   where not s.is_present
     and s.replaced_at < clock_timestamp() - interval '1 hour'
     and (s.bytes > $2 or s.place > $3 + 1)
     and not ${hasLiveRun('v.rule_id', 'v.number', 's.replaced_at')}
   order by s.created_at, v.rule_id, v.number
   limit ${dropAtOnce}
     for update of v skip locked`;

/** SQL: sets of keys. A statement of its own: it sees a retry that was committed before the rows were held. */
const dropHeld = `
  delete from automation_rule_versions v
   using unnest($2::uuid[], $3::int[], $4::timestamptz[]) as o(rule_id, number, replaced_at)
   where v.organization_id = $1
     and v.rule_id = o.rule_id
     and v.number = o.number
     and not ${hasLiveRun('o.rule_id', 'o.number', 'o.replaced_at')}`;

/** SQL: a sum over a join. */
const bytesLeft = `
  select coalesce(sum(pg_column_size(v.definition)), 0)::float8 as bytes
    from automation_rule_versions v
    join automation_rules a on a.organization_id = $1 and a.id = v.rule_id
   where v.organization_id = $1
     and v.number <> a.version`;

type Old = RowOf<typeof AutomationRuleVersion, 'rule_id' | 'number'> & { replaced_at: string };

/**
 * What the organization keeps of former versions, of all its rules: the oldest go, but for those of live runs. Needs `secretsLock`, which all publications hold.
 * Throws 422 where too much cannot go.
 */
export async function dropOldVersions(own: OwnTx, { ruleVersionsMaxBytes: max }: VersionBound): Promise<void> {
  own.assertLocked(secretsLock(own.organizationId));
  const old = await own.sql<Old>(holdOld, [max, maxFormerVersions]);
  if (old.length > 0)
    await own.sql(dropHeld, [
      old.map(({ rule_id }) => rule_id),
      old.map(({ number }) => number),
      old.map(({ replaced_at }) => replaced_at),
    ]);
  // There are more: they must not keep this publication from taking these away.
  if (old.length === dropAtOnce) return;
  const [left] = await own.sql<{ bytes: number }>(bytesLeft);
  if (left!.bytes <= Math.max(2 * max, alwaysRoomBytes)) return;
  const message =
    'Former versions that live runs stand on, or that were replaced within the hour, take too much: publish later, or cancel runs';
  throw new AppError('limit_reached', message);
}
