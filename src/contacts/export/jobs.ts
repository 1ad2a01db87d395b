import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { sharedPool } from '../../platform/ledger/pools.ts';

export const exportLane = (organizationId: string) => `contact-export:${organizationId}`;

/** Shared by all organizations: exports are long and must leave workers to other jobs. */
export const exportPool = sharedPool('contact-exports');
export const exportPoolWidth = 2;

/** SQL: changes by the state the row is in. */
const failExport = `
  update contact_exports
     set state = 'failed', failure = $3, finished_at = clock_timestamp(), updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state in ('queued', 'running')`;
const reviveExport = `
  update contact_exports
     set state = 'queued', failure = null, finished_at = null, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state = 'failed'
     and request is not null
  returning id`;

/** The file is no use to anybody, and may hold personal data. */
const callOffExport = `
  with called_off as (
    update contact_exports
       set state = 'cancelled',
           request = null,
           keys = null,
           position = null,
           pieces = 0,
           bytes = 0,
           finished_at = clock_timestamp(),
           updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state in ('queued', 'running')
    returning id)
  delete from contact_export_chunks
   where organization_id = $1
     and export_id = any(array(select id from called_off))`;

export const exportContactsJob = job<{ export_id: string }>({
  name: 'contacts.export',
  queue: 'default',
  payload: Joi.object({ export_id: uuid }),
  subjectType: 'contact_export',
  subject: 'export_id',
  delayMs: backoff(5),
  operation: true,
  async failed({ own }, { export_id }, { code, message }) {
    await own.sql(failExport, [export_id, JSON.stringify({ code, message })]);
  },
  async revived({ own }, { export_id }) {
    const back = await own.sql(reviveExport, [export_id]);
    if (back.length === 0) throw new AppError('conflict', 'What it was to export is no longer known: ask for it again');
  },
  async calledOff({ own }, { export_id }) {
    await own.sql(callOffExport, [export_id]);
  },
  openSubjects: `
    select organization_id, id
      from contact_exports
     where state in ('queued', 'running')`,
});
