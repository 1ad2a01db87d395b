import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { Field, ObjectType } from './definition.ts';
import { withOptions } from './field-rules.ts';
import { heldBy } from './leaving-options.ts';
import { maxBin } from './replace-options.ts';

const maxCounted = 1_000;

/** SQL: containment, which the index of all fields answers; counts up to a bound. */
const liveUses = `
  select count(*)::int as uses
    from (select 1
            from records
           where organization_id = $1 and type_id = $2 and deleted_at is null
             and fields @> $3::jsonb
           limit ${maxCounted}) used`;

/** SQL: no index serves what is in the bin, so it is read up to a bound. */
const binUses = `
  select count(*)::int as size, count(*) filter (where fields @> $3::jsonb)::int as uses
    from (select fields
            from records
           where organization_id = $1 and type_id = $2 and deleted_at is not null
           limit $4) bin`;

/**
 * A record in the bin counts too: restored, it would have a value that is no option. Where the bin is larger than what is read of it, every
 * option counts as used by it. Throws 409 for an option that is in use and is not in `replaced`.
 */
export async function assertOptionsUnused(
  own: Own,
  type: ObjectType,
  before: Field,
  after: Field,
  replaced: Set<string>,
  max = maxBin,
): Promise<void> {
  if (!withOptions.includes(after.type)) return;
  const kept = new Set(after.options.map(({ value }) => value));
  for (const { value } of before.options.filter((option) => !kept.has(option.value) && !replaced.has(option.value))) {
    const [held] = heldBy(before, [value]);
    const [live] = await own.sql<{ uses: number }>(liveUses, [type.id, held]);
    const [bin] = await own.sql<{ size: number; uses: number }>(binUses, [type.id, held, max + 1]);
    refuseUsed(value, live!.uses, bin!.size > max ? undefined : bin!.uses);
  }
}

/** `binned`: undefined where the bin is too large to be read. */
function refuseUsed(value: string, live: number, binned: number | undefined): void {
  if (live === 0 && binned === 0) return;
  const uses = live + (binned ?? 0);
  const count = live === maxCounted ? `${maxCounted} or more` : String(uses);
  const inBin =
    binned === undefined ? '. The bin is too large to be counted' : binned > 0 ? `, ${binned} of them in the bin` : '';
  const message = `The option ${value} is in use. Records with it: ${count}${inBin}. Name in replace_with what they get`;
  throw new AppError('conflict', message, {
    details: [{ field: `replace_with.${value}`, location: 'body', code: 'option.in_use', message, value: String(uses) }],
  });
}
