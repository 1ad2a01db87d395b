import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, job } from '../platform/ledger/job.ts';

/** Removes the files of an organization's deleted assets. One job for all that are there: a contact may have sent thousands. */
export const clearMediaJob = job<{ organization_id: string }>({
  name: 'media.clear',
  queue: 'default',
  payload: Joi.object({ organization_id: uuid }),
  subjectType: 'organization',
  subject: 'organization_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  // SQL: part of the statement of `jobs check` (job.ts).
  openSubjects: `
    select a.organization_id, a.organization_id as id
      from media_assets a
     where a.deleted_at is not null
       and not exists (
         select 1 from jobs f
          where f.organization_id = a.organization_id and f.subject_id = a.organization_id and f.state = 'failed')
     group by a.organization_id`,
});
