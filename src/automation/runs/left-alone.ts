/*
 * SQL: what `jobs check` finds of runs that no job will move. Each reads the rows that are open (live runs, waits, calls under way), and
 * what belongs to one by an index: its time grows with them, and not with what has ended.
 */
const maxFindings = 100;

const isLive = `r.state in ('queued', 'running')`;

/** A step is written only by the job that its run names: another would find that the run is not its own, and write nothing. */
const withoutItsJob = `
  select r.id::text, r.state || ' run of rule ' || r.rule_id as detail
    from automation_runs r
   where ${isLive}
     and exists (
       select 1
         from jobs j
        where j.organization_id = r.organization_id and j.subject_id = r.id and j.name = 'automation.run'
          and j.state in ('blocked', 'waiting', 'queued')
          and j.id is distinct from r.job_id)
   limit ${maxFindings}`;

const waitAfterEnd = `
  select w.run_id::text as id, r.state || ' run waits for ' || w.event_type as detail
    from automation_waits w
    join automation_runs r on r.organization_id = w.organization_id and r.id = w.run_id
   where not (${isLive})
   limit ${maxFindings}`;

const callAfterEnd = `
  select s.run_id::text as id, r.state || ' run, step ' || s.step_id as detail
    from automation_steps s
    join automation_runs r on r.organization_id = s.organization_id and r.id = s.run_id
   where s.state = 'calling'
     and not (${isLive})
   limit ${maxFindings}`;

export const leftAlone = [
  { rule: 'a live run names its job', statement: withoutItsJob },
  { rule: 'an ended run waits for no event', statement: waitAfterEnd },
  { rule: 'an ended run has no call that is under way', statement: callAfterEnd },
];
