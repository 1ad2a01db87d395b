import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { sharedPool } from '../../platform/ledger/pools.ts';

/** One import at a time per organization: of two files about one person, the later one wins. */
export const importLane = (organizationId: string) => `contact-import:${organizationId}`;

/** Shared by all organizations: imports are long and must leave workers to other jobs. */
export const importPool = sharedPool('contact-imports');
export const importPoolWidth = 2;

/** A file that caused the failure is deleted; otherwise a retry continues after the last row done. */
const isFiles = (code: string) => !['crashed', 'internal'].includes(code);

/** SQL: changes by the state the row is in. */
const failImport = `
  update contact_imports
     set state = 'failed',
         failure = coalesce(failure, $3),
         finished_at = clock_timestamp(),
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')`;
const deleteFile = `
  delete from contact_import_chunks
   where organization_id = $1
     and import_id = $2`;
const reviveImport = `
  update contact_imports i
     set state = 'queued', failure = null, finished_at = null, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state = 'failed'
     and exists (
       select
         from contact_import_chunks c
        where c.organization_id = i.organization_id and c.import_id = i.id)
  returning id`;

/** Rows that were applied stay so. */
const callOffImport = `
  update contact_imports
     set state = 'cancelled', finished_at = clock_timestamp(), updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')`;

export const importContactsJob = job<{ import_id: string }>({
  name: 'contacts.import',
  queue: 'default',
  payload: Joi.object({ import_id: uuid }),
  subjectType: 'contact_import',
  subject: 'import_id',
  delayMs: backoff(5),
  operation: true,
  async failed({ own }, { import_id }, error) {
    await own.sql(failImport, [import_id, JSON.stringify({ code: error.code, message: error.message })]);
    if (isFiles(error.code)) await own.sql(deleteFile, [import_id]);
  },
  async revived({ own }, { import_id }) {
    const back = await own.sql(reviveImport, [import_id]);
    if (back.length === 0) throw new AppError('conflict', 'The file is no longer there: upload it again');
  },
  async calledOff({ own }, { import_id }) {
    await own.sql(callOffImport, [import_id]);
    await own.sql(deleteFile, [import_id]);
  },
  openSubjects: `
    select organization_id, id
      from contact_imports
     where state in ('queued', 'running')`,
});
