import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { endsIn } from '../../platform/imports/ends.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { contactImportTables } from './tables.ts';

export const contactImportEnds = endsIn(contactImportTables);

export const importContactsJob = job<{ import_id: string }>({
  name: 'contacts.import',
  queue: 'default',
  payload: Joi.object({ import_id: uuid }),
  subjectType: 'contact_import',
  subject: 'import_id',
  delayMs: backoff(5),
  operation: true,
  ...contactImportEnds.ofJob,
});
