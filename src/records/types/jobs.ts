import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, type JobContract, job } from '../../platform/ledger/job.ts';

/** Definitions of a kind change one after the other, and so do the jobs that carry a change into its records. */
export const typeLane = (organizationId: string, kind: string) => `object_type:${organizationId}:${kind}`;

/** Held by who adds a kind: the limit is exact. */
export const typesLock = (organizationId: string) => `object_types:${organizationId}`;

type FieldPayload = { field_id: string };

/**
 * Walks over all records of a type in steps; the position is in the field's row. Each change of the field begins one, and only some build an index:
 * so a row may outlive what its subject waits for.
 */
const walkJob = (name: string, openSubjects?: string): JobContract<FieldPayload> =>
  job<FieldPayload>({
    name,
    queue: 'default',
    payload: Joi.object({ field_id: uuid }),
    subjectType: 'object_field',
    subject: 'field_id',
    delayMs: backoff(8),
    operation: true,
    failed: async () => {},
    revived: async () => {},
    openSubjects,
    mayOutliveSubject: true,
    // Any step may run again.
    survivesCrashes: async () => true,
  });

/** Whose last job of the name has failed, by itself, waits for somebody: an earlier failure, or one of another job, says nothing. */
const withoutFailed = (name: string, table: string) => `coalesce((
         select j.state
           from jobs j
          where j.organization_id = ${table}.organization_id and j.subject_id = ${table}.id and j.name = '${name}'
          order by j.seq desc
          limit 1), '') <> 'failed'`;

/** A kind that is deleted takes its fields along: their walks end at once. */
const isOfLiveType = `exists (
         select 1 from object_types t
          where t.organization_id = f.organization_id and t.id = f.type_id and t.deleted_at is null)`;

/** SQL: part of the statement of `jobs check` (job.ts). */
export const indexFieldJob = walkJob(
  'crm.index-field',
  `
    select f.organization_id, f.id
      from object_fields f
     where f.index_state = 'building' and f.removed_at is null
       and ${isOfLiveType}
       and ${withoutFailed('crm.index-field', 'f')}`,
);

export const dropFieldJob = walkJob(
  'crm.drop-field',
  `
    select f.organization_id, f.id
      from object_fields f
     where f.removed_at is not null
       and ${isOfLiveType}
       and ${withoutFailed('crm.drop-field', 'f')}`,
);

/** `actor`: who is named in the history of each record that it changes. The position, and what leaves, is in the field's row. */
export const replaceOptionsJob = job<FieldPayload & { actor: string }>({
  name: 'crm.replace-options',
  queue: 'default',
  payload: Joi.object({
    field_id: uuid,
    actor: Joi.string()
      .pattern(/^(user|key):[0-9a-f-]{36}$/)
      .required(),
  }),
  subjectType: 'object_field',
  subject: 'field_id',
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  revived: async () => {},
  openSubjects: `
    select f.organization_id, f.id
      from object_fields f
     where jsonb_path_exists(f.options, '$[*].replaced_by') and f.removed_at is null
       and ${isOfLiveType}
       and ${withoutFailed('crm.replace-options', 'f')}`,
  // Options that leave meanwhile have a walk of their own.
  mayOutliveSubject: true,
  survivesCrashes: async () => true,
});

export const deleteTypeJob = job<{ type_id: string }>({
  name: 'crm.delete-type',
  queue: 'default',
  payload: Joi.object({ type_id: uuid }),
  subjectType: 'object_type',
  subject: 'type_id',
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  revived: async () => {},
  openSubjects: `
    select t.organization_id, t.id
      from object_types t
     where t.deleted_at is not null
       and ${withoutFailed('crm.delete-type', 't')}`,
  survivesCrashes: async () => true,
});
