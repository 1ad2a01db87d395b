import Joi from 'joi';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

export const exportLane = (organizationId: string) => `contact-export:${organizationId}`;

/** Shared by all organizations: exports are long and must leave workers to other jobs. */
export const exportPool = 'contact-exports';
export const exportPoolWidth = 2;

/** SQL: a job's contract knows ids only, and no organization. */
const failExport = `
  update contact_exports
     set state = 'failed', failure = $2, finished_at = clock_timestamp(), updated_at = clock_timestamp()
   where id = $1
     and state in ('queued', 'running')`;
const reviveExport = `
  update contact_exports
     set state = 'queued', failure = null, finished_at = null, updated_at = clock_timestamp()
   where id = $1
     and state = 'failed'
     and request is not null
  returning id`;

export const exportContactsJob = job<{ export_id: string }>({
  name: 'contacts.export',
  queue: 'default',
  payload: Joi.object({ export_id: uuid }),
  subjectType: 'contact_export',
  subject: 'export_id',
  delayMs: backoff(5),
  operation: true,
  async failed(tx, { export_id }, { code, message }) {
    await tx.query(failExport, [export_id, JSON.stringify({ code, message })]);
  },
  async revived(tx, { export_id }) {
    const back = await tx.query(reviveExport, [export_id]);
    if (back.length === 0) throw new AppError('conflict', 'What it was to export is no longer known: ask for it again');
  },
  openSubjects: `
    select id
      from contact_exports
     where state in ('queued', 'running')`,
});
