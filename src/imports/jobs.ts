import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { endsIn } from '../platform/imports/ends.ts';
import { backoff, job } from '../platform/ledger/job.ts';
import { crmImportTables } from './tables.ts';

export const crmImportEnds = endsIn(crmImportTables);

export const importCrmJob = job<{ import_id: string }>({
  name: 'crm.import',
  queue: 'default',
  payload: Joi.object({ import_id: uuid }),
  subjectType: 'crm_import',
  subject: 'import_id',
  delayMs: backoff(5),
  operation: true,
  ...crmImportEnds.ofJob,
});
