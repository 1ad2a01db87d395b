import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { endsIn } from '../platform/imports/ends.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';
import { recipientsKind } from './import.entity.ts';
import { crmImportTables } from './tables.ts';

export const crmImportEnds = endsIn(crmImportTables);

type ImportJob = JobContract<{ import_id: string }>;

/** `kind`: the condition of its rows of `crm_imports`. */
const importJob = (name: string, subjectType: string, kind: string): ImportJob =>
  job<{ import_id: string }>({
    name,
    queue: 'default',
    payload: Joi.object({ import_id: uuid }),
    subjectType,
    subject: 'import_id',
    delayMs: backoff(5),
    operation: true,
    ...crmImportEnds.ofJob,
    openSubjects: `${crmImportEnds.ofJob.openSubjects}
       and object_kind ${kind}`,
  });

export const importCrmJob = importJob('crm.import', 'crm_import', `is distinct from '${recipientsKind}'`);

/** Recipients of a campaign. Another name than that of deals and records: it takes other scopes to see it. */
export const importRecipientsJob = importJob('campaigns.import', 'campaign_import', `= '${recipientsKind}'`);
