import type { Bind } from '../../platform/listing/bind.ts';
import type { RunState } from '../states.ts';

/** `until`: before this time. */
export type RunFilter = {
  ruleId?: string;
  state?: RunState;
  subjectType?: string;
  subjectId?: string;
  contactId?: string;
  since?: string;
  until?: string;
};

/** SQL: conditions over `automation_runs r`; its shape follows the filter, so that each alone is a range of one index; of two, the narrower range is read. */
export function runsWhere({ ruleId, state, subjectType, subjectId, contactId, since, until }: RunFilter, bind: Bind): string[] {
  const where = ['r.organization_id = $1'];
  if (ruleId) where.push(`r.rule_id = ${bind(ruleId)}::uuid`);
  if (state) where.push(`r.state = ${bind(state)}`);
  if (subjectId) where.push(`r.subject_id = ${bind(subjectId)}::uuid`);
  if (subjectType) where.push(`r.subject_type = ${bind(subjectType)}`);
  if (contactId) where.push(`r.contact_id = ${bind(contactId)}::uuid`);
  if (since) where.push(`r.created_at >= ${bind(since)}::timestamptz`);
  if (until) where.push(`r.created_at < ${bind(until)}::timestamptz`);
  return where;
}
