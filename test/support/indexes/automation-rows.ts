/** Rules, most of whose runs are of one; a hundredth of the runs are of another rule, a person or a subject, or have failed, or live. */
export const automationRows = (
  own: string,
  { otherId, contactId, userId }: Record<'otherId' | 'contactId' | 'userId', string>,
): string[] => [
  `insert into automation_rules (organization_id, id, name, status, draft, event_type, created_at, deleted_at)
   select '${own}', case when n = 1 then '${otherId}'::uuid else uuidv7() end, 'R' || n, case when n % 50 = 0 then 'live' else 'draft' end, '{}',
          'deal.' || n, clock_timestamp() - n * interval '1 min', case when n % 30 = 0 then clock_timestamp() - n * interval '1 min' end
     from generate_series(1, 3000) n`,
  `insert into automation_runs (organization_id, id, rule_id, version, state, trigger, subject_type, subject_id, contact_id, created_at, ended_at,
                                event_id, position)
   select '${own}', uuidv7(), case when n % 100 = 1 then '${otherId}'::uuid else r.id end, 1, s.state, 'manual', 'deal',
          case when n % 100 = 2 then '${otherId}'::uuid else uuidv7() end, case when n % 100 = 3 then '${contactId}'::uuid end,
          clock_timestamp() - n * interval '1 min', case when s.state <> 'running' then clock_timestamp() - n * interval '1 min' end,
          case when s.state = 'running' then uuidv7() end,
          case when s.state = 'running' then jsonb_build_object('at', '[1]'::jsonb, 'event_id', uuidv7()) else '{}' end
     from generate_series(1, 20000) n,
          lateral (select case when n % 100 = 4 then 'failed' when n % 100 = 5 then 'running' else 'succeeded' end as state) s,
          (select id from automation_rules where name = 'R2') r`,
  `insert into automation_steps (organization_id, run_id, number, step_id, type, state)
   select organization_id, id, n, 'a', 'add_tag', 'done'
     from automation_runs, generate_series(1, 3) n`,
  `insert into automation_waits (organization_id, run_id, event_type, subject_type, subject_id)
   select r.organization_id, r.id, t.type, 'deal', r.subject_id
     from automation_runs r, unnest(array['message.new', 'deal.updated']) as t(type)`,
  // Half of what was resolved was somebody's, and a hundredth of that is open again, as is half of the rest.
  `update conversations c
      set assignee_id = case when x.is_taken then '${userId}'::uuid end,
          status = case when random() < case when x.is_taken then 0.01 else 0.5 end then 'open' else c.status end
     from (select id, random() < 0.5 as is_taken
             from conversations
            where status = 'resolved') x
    where c.id = x.id`,
  `insert into automation_turns (organization_id, rule_id, user_id)
   select m.organization_id, r.id, m.user_id
     from (select organization_id, user_id from memberships where organization_id = '${own}' limit 50) m,
          (select id from automation_rules where organization_id = '${own}' limit 100) r`,
  `insert into pools (organization_id, id, width, used_at)
   select '${own}', 'http:${own}:' || n || '.example.com', 10, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 5000) n`,
];
