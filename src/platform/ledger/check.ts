import type { Database, Em } from '../database/database.ts';
import { isTooBusy } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { allContracts } from './contracts.ts';
import { stuckPools } from './stuck-pools.ts';

export type Finding = { rule: string; id: string; detail: string };

const rules: { rule: string; statement: string }[] = [
  {
    rule: 'a queued row is looked at within 2 minutes',
    statement: `select id::text, name || ' in ' || queue as detail from jobs where state = 'queued' and check_at < clock_timestamp() - interval '2 min'`,
  },
  {
    rule: 'a lane with blocked rows has one head',
    statement: `select min(b.id::text) as id, b.lane as detail from jobs b where b.state = 'blocked'
                and not exists (select 1 from jobs h where h.lane = b.lane and h.state in ('waiting', 'queued')) group by b.lane`,
  },
  {
    rule: 'a blocked row has a lane',
    statement: `select id::text, name as detail from jobs where state = 'blocked' and lane is null`,
  },
  {
    rule: 'a waiting row has a pool',
    statement: `select j.id::text, j.name || ' in ' || coalesce(j.pool, 'no pool') as detail from jobs j where j.state = 'waiting' and not exists (select 1 from pools p where p.id = j.pool)`,
  },
  { rule: 'a pool that has work and room moves on within a minute', statement: stuckPools },
];

/** Thrown when it could not be looked at everything: that is no finding, and not clean either. */
export class CheckCutShort extends Error {}

/**
 * The invariant of the ledger, at any moment: every row that no rule will move, by name. A look at a rule takes `limitMs` at most, a
 * table that somebody has locked included; then it throws CheckCutShort.
 */
export async function checkJobs(database: Database, limitMs = 10_000): Promise<Finding[]> {
  const limits = [`set local statement_timeout = ${limitMs}`, `set local lock_timeout = ${limitMs}`];
  try {
    return await database.transaction(findingsIn, limits);
  } catch (error) {
    if (!isTooBusy(error)) throw error;
    const what = `The ledger could not be looked at within ${limitMs / 1000} s: a table is locked, or the database has too much to do`;
    throw new CheckCutShort(what);
  }
}

async function findingsIn(em: Em): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { rule, statement } of rules) {
    const rows = await query<{ id: string; detail: string }>(em, statement);
    findings.push(...rows.map((row) => ({ rule, ...row })));
  }
  for (const contract of allContracts()) {
    if (!contract.openSubjects) continue;
    const twice = await query<{ id: string }>(
      em,
      `select subject_id::text as id from jobs where name = $1 and state in ('blocked', 'waiting', 'queued') group by subject_id having count(*) > 1`,
      [contract.name],
    );
    findings.push(...twice.map(({ id }) => ({ rule: 'a subject has one live row', id, detail: contract.name })));
    const orphans = await query<{ id: string }>(
      em,
      `select s.id::text from (${contract.openSubjects}) s where not exists (select 1 from jobs j where j.subject_id = s.id and j.name = $1 and j.state in ('blocked', 'waiting', 'queued'))`,
      [contract.name],
    );
    findings.push(
      ...orphans.map(({ id }) => ({ rule: 'a subject without an end has a live row', id, detail: contract.subjectType })),
    );
    const idle = await query<{ id: string }>(
      em,
      `select j.id::text from jobs j where j.name = $1 and j.state in ('blocked', 'waiting', 'queued') and not exists (select 1 from (${contract.openSubjects}) s where s.id = j.subject_id)`,
      [contract.name],
    );
    findings.push(...idle.map(({ id }) => ({ rule: 'a live row has a live subject', id, detail: contract.name })));
  }
  return findings;
}
