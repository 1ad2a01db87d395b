import type { Database, Em } from '../database/database.ts';
import { isTooBusy } from '../database/errors.ts';
import { query } from '../database/query.ts';
import { allContracts } from './contracts.ts';
import { repeatedFaults } from './faults.ts';
import { isParked } from './park.ts';
import { nobody } from './pools.ts';
import { liveJobs } from './states.ts';
import { stuckPools } from './stuck-pools.ts';

export type Finding = { rule: string; id: string; detail: string };

/** SQL: each rule is a set of rows over all organizations, found by what it lacks. */
const rules: { rule: string; statement: string }[] = [
  {
    rule: 'a queued row is looked at within 2 minutes',
    statement: `
      select id::text, name || ' in ' || queue as detail
        from jobs
       where state = 'queued' and check_at < clock_timestamp() - interval '2 min' and not (${isParked})`,
  },
  {
    rule: 'a lane with blocked rows has one head',
    statement: `
      select min(b.id::text) as id, b.lane as detail
        from jobs b
       where b.state = 'blocked'
         and not exists (
           select 1 from jobs h
            where h.organization_id = b.organization_id and h.lane = b.lane and h.state in ('waiting', 'queued'))
       group by b.organization_id, b.lane`,
  },
  {
    rule: 'a blocked row has a lane',
    statement: `
      select id::text, name as detail
        from jobs
       where state = 'blocked' and lane is null`,
  },
  {
    rule: 'a waiting row has a pool',
    statement: `
      select j.id::text, j.name || ' in ' || coalesce(j.pool, 'no pool') as detail
        from jobs j
       where j.state = 'waiting'
         and not exists (
           select 1 from pools p
            where p.organization_id in (j.organization_id, '${nobody}') and p.id = j.pool)`,
  },
  { rule: 'a pool that has work and room moves on within a minute', statement: stuckPools },
  { rule: 'a job gets past a fault of our own within 5 minutes', statement: repeatedFaults },
];

/** SQL: sets as above, of the jobs of one contract, $1. */
const repeatedSubjects = `
  select subject_id::text as id
    from ${liveJobs} j
   where name = $1
   group by organization_id, subject_id
  having count(*) > 1`;

const subjectsWithoutJob = (openSubjects: string) => `
  select s.id::text
    from (${openSubjects}) s
   where not exists (
     select 1 from jobs j
      where j.organization_id = s.organization_id and j.subject_id = s.id and j.name = $1
        and j.state in ('blocked', 'waiting', 'queued'))`;

const jobsWithoutSubject = (openSubjects: string) => `
  select j.id::text
    from ${liveJobs} j
   where j.name = $1
     and not exists (
       select 1 from (${openSubjects}) s
        where s.organization_id = j.organization_id and s.id = j.subject_id)`;

/** The check could not read everything: neither a finding nor a clean result. */
export class CheckCutShort extends Error {}

/** Finds every row that no rule will move. A statement longer than `limitMs`, waits included, throws CheckCutShort. */
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
  const ofContracts = allContracts().flatMap(({ leftAlone = [] }) => leftAlone);
  for (const { rule, statement } of [...rules, ...ofContracts]) {
    const rows = await query<{ id: string; detail: string }>(em, statement);
    findings.push(...rows.map((row) => ({ rule, ...row })));
  }
  for (const { name, subjectType, openSubjects, mayOutliveSubject } of allContracts()) {
    if (!openSubjects) continue;
    const find = async (rule: string, detail: string, statement: string) => {
      const rows = await query<{ id: string }>(em, statement, [name]);
      findings.push(...rows.map(({ id }) => ({ rule, id, detail })));
    };
    await find('a subject without an end has a live row', subjectType, subjectsWithoutJob(openSubjects));
    if (mayOutliveSubject) continue;
    await find('a subject has one live row', name, repeatedSubjects);
    await find('a live row has a live subject', name, jobsWithoutSubject(openSubjects));
  }
  return findings;
}
