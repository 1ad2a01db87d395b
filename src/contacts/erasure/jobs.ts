import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** Too much work for the request: it removes personal data from records that do not refer to the contact. */
export const eraseContactJob = job<{ erasure_id: string }>({
  name: 'contacts.erase',
  queue: 'default',
  payload: Joi.object({ erasure_id: uuid }),
  subjectType: 'contact_erasure',
  subject: 'erasure_id',
  delayMs: backoff(8),
  operation: false,
  failed: async () => {},
  revived: async () => {},
  // SQL: part of the statement of `jobs check` (job.ts).
  openSubjects: `
    select e.organization_id, e.id
      from contact_erasures e
     where not exists (
       select 1 from jobs f
        where f.organization_id = e.organization_id and f.subject_id = e.id and f.state = 'failed')`,
});
