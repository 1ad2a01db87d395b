import Joi from 'joi';
import { violatedConstraint } from '../../platform/database/errors.ts';
import { AppError } from '../../platform/errors.ts';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';
import { sharedPool } from '../../platform/ledger/pools.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';

/** Shared by all organizations: it is long and must leave workers to other jobs. */
export const revaluePool = sharedPool('deal-revaluations');
export const revaluePoolWidth = 2;

/** SQL: by the database's clock, and from the state the row is in. */
const end = `
  update deal_revaluations
     set state = 'ended', finished_at = clock_timestamp(), updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and state = 'open'`;
const revive = `
  update deal_revaluations
     set state = 'open', finished_at = null, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2`;

type Payload = { revaluation_id: string };

export async function endRevaluation({ own }: TenantTx, { revaluation_id }: Payload): Promise<void> {
  await own.sql(end, [revaluation_id]);
}

export const revalueDealsJob = job<Payload>({
  name: 'crm.revalue',
  queue: 'default',
  payload: Joi.object({ revaluation_id: uuid }),
  subjectType: 'deal_revaluation',
  subject: 'revaluation_id',
  delayMs: backoff(5),
  operation: true,
  failed: endRevaluation,
  async revived({ own }, { revaluation_id }) {
    await own.sql(revive, [revaluation_id]).catch((error: unknown) => {
      if (violatedConstraint(error) !== 'deal_revaluations_open') throw error;
      throw new AppError('conflict', 'Another one was asked for since then');
    });
  },
  calledOff: endRevaluation,
  openSubjects: `
    select organization_id, id
      from deal_revaluations
     where state = 'open'`,
});
