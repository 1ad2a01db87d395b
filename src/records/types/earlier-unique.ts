import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Field } from './definition.ts';

/** Of one transaction that changes the type: writers of its records wait for it. */
export const maxRemoved = 10_000;

/** SQL: each part is a range of one of the unique indexes. */
const removeUnique = `
  delete from record_values v
   using ((select record_id, ordinal
             from record_values
            where organization_id = $1 and field_id = $2 and is_unique and text_value is not null
            limit $3)
           union all
          (select record_id, ordinal
             from record_values
            where organization_id = $1 and field_id = $2 and is_unique and number_value is not null
            limit $3)
           union all
          (select record_id, ordinal
             from record_values
            where organization_id = $1 and field_id = $2 and is_unique and time_value is not null
            limit $3)) u
   where v.organization_id = $1 and v.record_id = u.record_id and v.field_id = $2 and v.ordinal = u.ordinal
   returning v.record_id`;

/**
 * Rows of an earlier unique index that the walk has not removed yet. Nobody kept them up to date, so they would refuse values that only one
 * record has now. Needs the type for a change. Throws 409 where there are too many.
 */
export async function removeEarlierUnique(tx: OwnTx, { id, name }: Field, max = maxRemoved): Promise<void> {
  const removed = await tx.sql(removeUnique, [id, max + 1]);
  if (removed.length <= max) return;
  throw new AppError('conflict', `The values of an earlier unique index of ${name} are still being removed; try again`, {
    retryAfterSeconds: 5,
  });
}
