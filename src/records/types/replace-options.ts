import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { recordLock } from '../record-row.ts';
import { changeRecord } from '../record-tx.ts';
import { changedType } from './change-types.ts';
import { type Field, isLeaving, type ObjectType } from './definition.ts';
import { fieldById } from './field-rows.ts';
import { heldBy, leavingOf, type Replacements, withoutLeaving } from './leaving-options.ts';
import { loadType, typeForChange, typeForWrite } from './object-type.ts';
import { ObjectField } from './type.entity.ts';
import { walkedField } from './walk.ts';

/** Of one transaction: it holds the lock of each. */
export const maxAtOnce = 100;
/** Of more an operation looks for those that have an option: no index serves what is in the bin. */
export const maxBin = 10_000;
const windowSize = 1_000;

export type Holder = { id: string; is_in_bin: boolean };

/** SQL: containment, which the index of all fields answers for live records. */
const liveHolders = `
  select id, false as is_in_bin
    from records
   where organization_id = $1 and type_id = $2 and deleted_at is null
     and fields @> any($3::jsonb[])
   limit ${maxAtOnce + 1}`;

/** SQL: the size of the bin and what is in it, in one look. */
const binHolders = `
  select count(*)::int as size,
         coalesce((array_agg(id) filter (where fields @> any($3::jsonb[])))[1:${maxAtOnce + 1}], '{}') as ids
    from (select id, fields
            from records
           where organization_id = $1 and type_id = $2 and deleted_at is not null
           limit ${maxBin + 1}) bin`;

/** Records that have one of the options, those in the bin too. Undefined: more than one transaction changes. */
export async function fewHolders(own: Own, type: ObjectType, field: Field, values: string[]): Promise<Holder[] | undefined> {
  if (values.length === 0) return [];
  const held = heldBy(field, values);
  const live = await own.sql<Holder>(liveHolders, [type.id, held]);
  const [bin] = await own.sql<{ size: number; ids: string[] }>(binHolders, [type.id, held]);
  const all = [...live, ...bin!.ids.map((id) => ({ id, is_in_bin: true }))];
  return all.length > maxAtOnce || bin!.size > maxBin ? undefined : all;
}

export const locksOf = (holders: Holder[]) => holders.map(({ id }) => recordLock(id));

/** Each is a change of the record, by `actor`. One in the bin changes too, and nobody is told. Needs their locks. Throws LocksOutdated. */
export async function replaceIn(
  tx: OwnTx,
  type: ObjectType,
  { field, replacements }: { field: Field; replacements: Replacements },
  holders: Holder[],
  actor: string,
): Promise<void> {
  for (const { id } of holders) tx.assertLocked(recordLock(id));
  for (const { id, is_in_bin: isInBin } of holders)
    await changeRecord(tx, type, { id, actor, isInBin }, (record) => {
      record.set({ fields: withoutLeaving(field, record.record.fields, replacements) });
      if (isInBin) record.tellsBy(null);
    }).catch(outdatedIfMissing);
}

/** Deleted, restored or purged since the look. */
function outdatedIfMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found' ? new LocksOutdated() : error;
}

/**
 * SQL: a window in the order of the ids, over both parts of a type; of it the first that have an option. Where there are more of them than one
 * transaction takes, the next window begins after the last one taken.
 */
const nextHolders = `
  with next as materialized (
    select r.id, r.fields, r.deleted_at is not null as is_in_bin
      from records r
     where r.organization_id = $1
       and r.id = any(array(
           select n.id
             from ((select id
                      from records
                     where organization_id = $1 and type_id = $2 and deleted_at is null and id > $3
                     order by id
                     limit $5)
                   union all
                   (select id
                      from records
                     where organization_id = $1 and type_id = $2 and deleted_at is not null and id > $3
                     order by id
                     limit $5)) n
            order by n.id
            limit $5))),
  taken as (
    select id, is_in_bin
      from next
     where fields @> any($4::jsonb[])
     order by id
     limit $6)
  select (select count(*)::int from next) as size,
         (select id from next order by id desc limit 1) as last,
         coalesce((select json_agg(taken order by id) from taken), '[]') as holders`;

type Window = { position: string | null; next: string | null; isLast: boolean; holders: Holder[] };

async function look(own: Own, fieldId: string, size: number, most: number): Promise<(Window & { kind: string }) | undefined> {
  const seen = await walkedField(own, fieldId);
  const type = seen && !seen.deleted_at ? await loadType(own, seen.kind) : undefined;
  const field = type?.fields.find(({ id }) => id === fieldId);
  const [row] = field ? await fieldById(own, { id: fieldId }) : [];
  const leaving = field ? leavingOf(field) : new Map();
  if (!type || !field || !row || leaving.size === 0) return undefined;
  const position = row.replaced_to;
  const held = heldBy(field, leaving.keys());
  const [found] = await own.sql<{ size: number; last: string | null; holders: Holder[] }>(nextHolders, [
    type.id,
    position ?? '00000000-0000-0000-0000-000000000000',
    held,
    size,
    most,
  ]);
  const { holders, last } = found!;
  const isFull = holders.length === most;
  const next = (isFull ? holders.at(-1)!.id : last) ?? position;
  return { kind: type.kind, position, next, isLast: !isFull && found!.size < size, holders };
}

/** `replacedTo`: the position after it, by which the end knows that no other option left meanwhile. `tookMs`: so long it held its records. */
export type ReplaceStep = { isLast: boolean; done: number; replacedTo: string | null; tookMs: number };

/** Of a window of `size` at `most` so many change. Undefined: no option leaves any more. Each step is one transaction with its position; one that is cut off changes nothing. */
export async function takeReplaceStep(
  transact: TenantTransact,
  own: Own,
  { fieldId, actor }: { fieldId: string; actor: string },
  size = windowSize,
  most = maxAtOnce,
): Promise<ReplaceStep | undefined> {
  const looked: Look<Awaited<ReturnType<typeof look>>> = {
    look: () => look(own, fieldId, size, most),
    locks: (seen) => locksOf(seen?.holders ?? []),
  };
  let heldFrom = 0;
  const step = await transact(looked, async ({ own: tx }, seen) => {
    heldFrom = performance.now();
    if (!seen) return undefined;
    const type = await typeForWrite(tx, seen.kind);
    const field = type.fields.find(({ id }) => id === fieldId);
    // Under the type's lock: no change of the options comes between.
    const [row] = await fieldById(tx, { id: fieldId });
    if (!field || !row || row.replaced_to !== seen.position) throw new LocksOutdated();
    await replaceIn(tx, type, { field, replacements: leavingOf(field) }, seen.holders, actor);
    await tx.update(ObjectField, { id: fieldId }, { replaced_to: seen.next });
    return { isLast: seen.isLast, done: seen.holders.length, replacedTo: seen.next };
  });
  return step && { ...step, tookMs: performance.now() - heldFrom };
}

/** The options are gone, unless others left since the last step: then another walk has begun. */
export async function endReplacement(tx: OwnTx, fieldId: string, replacedTo: string | null): Promise<void> {
  const seen = await walkedField(tx, fieldId);
  const type = seen && (await typeForChange(tx, seen.kind));
  const field = type?.fields.find(({ id }) => id === fieldId);
  const [row] = field ? await fieldById(tx, { id: fieldId }) : [];
  if (!type || !field || row?.replaced_to !== replacedTo) return;
  const options = field.options.filter((option) => !isLeaving(option));
  await tx.update(ObjectField, { id: fieldId }, { options, replaced_to: null });
  await changedType(tx, type);
}
