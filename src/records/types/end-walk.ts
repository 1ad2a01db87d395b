import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { changedType } from './change-types.ts';
import { indexFieldJob, typeLane } from './jobs.ts';
import { loadType, typeForChange } from './object-type.ts';
import { ObjectField } from './type.entity.ts';
import { moveOn, takeRecords, type WalkedRecord, walkedField, writeTexts } from './walk.ts';

type Own = Parameters<typeof walkedField>[0];

/** Of deleted records, which nobody waits for: each writes to all indexes of records. */
const deleteSize = 250;

/** Lists use the index from now on, unless the field was changed since the last step: then another walk has begun. */
export async function endIndex(tx: OwnTx, fieldId: string, walkedTo: string | null): Promise<void> {
  const seen = await walkedField(tx, fieldId);
  const type = seen && (await typeForChange(tx, seen.kind));
  const field = type?.fields.find(({ id }) => id === fieldId);
  if (!type || !field) return;
  // Under the type's lock.
  if ((await walkedField(tx, fieldId))?.walked_to !== walkedTo) return;
  await tx.update(
    ObjectField,
    { id: fieldId },
    { walked_to: null, ...(field.indexState === 'building' && { index_state: 'ready' }) },
  );
  await changedType(tx, type);
}

/** Values that are there twice: the field is not unique after all, and another walk takes back what this one wrote. */
export async function giveUpUnique(tx: OwnTx, fieldId: string): Promise<void> {
  const seen = await walkedField(tx, fieldId);
  const type = seen && (await typeForChange(tx, seen.kind));
  if (!type?.fields.some(({ id }) => id === fieldId)) return;
  await tx.update(ObjectField, { id: fieldId }, { is_unique: false, index_state: 'building', walked_to: null });
  await changedType(tx, type);
  tx.enqueue(indexFieldJob, { field_id: fieldId }, { lane: typeLane(tx.organizationId, type.kind) });
}

/** `tookMs`: so long it held its records (walk.ts). */
export type DropStep = { isLast: boolean; tookMs: number };

/** Its values and index rows of the next records. Last: all are gone, and so is the field. */
export async function takeDropStep(transact: TenantTransact, own: Own, fieldId: string, size: number): Promise<DropStep> {
  const seen = await walkedField(own, fieldId);
  if (!seen || seen.deleted_at) return { isLast: true, tookMs: 0 };
  let heldFrom = 0;
  const isLast = await transact({}, async ({ own: tx }) => {
    const now = await walkedField(tx, fieldId);
    heldFrom = performance.now();
    if (!now) return true;
    const records = await takeRecords(tx, now.type_id, now.walked_to, size);
    if (records.length > 0) {
      await dropValues(tx, fieldId, now.name, records);
      const type = await loadType(tx, now.kind);
      const left = records.map(({ fields, ...record }) => ({ ...record, fields: without(fields, now.name) }));
      if (type) await writeTexts(tx, type, left);
      await moveOn(tx, fieldId, records);
    }
    if (records.length === size) return false;
    await tx.delete(ObjectField, { id: fieldId });
    return true;
  });
  return { isLast, tookMs: performance.now() - heldFrom };
}

const without = (fields: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));

/** SQL: a set of records, and a key taken out of their JSON. */
async function dropValues(tx: OwnTx, fieldId: string, name: string, records: WalkedRecord[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  await tx.sql('delete from record_values where organization_id = $1 and field_id = $2 and record_id = any($3::uuid[])', [
    fieldId,
    ids,
  ]);
  await tx.sql(
    `update records
        set fields = fields - $2::text
      where organization_id = $1 and id = any($3::uuid[]) and fields ? $2::text`,
    [name, ids],
  );
}

/** SQL: records with all that refers to them, their history included, since nobody can read it any more. */
const dropRecords = `
  with next as materialized (
    select id
      from (select id
              from records
             where organization_id = $1 and type_id = $2 and deleted_at is null
             limit $3) live
     union all
    select id
      from (select id
              from records
             where organization_id = $1 and type_id = $2 and deleted_at is not null
             limit $3) binned),
  history as (
    delete from crm_history
     where organization_id = $1 and object_id in (select id from next)),
  gone as (
    delete from records
     where organization_id = $1 and id in (select id from next)
    returning id)
  select count(*)::int as done
    from gone`;

/** True: all of its records are gone, and so is the type. */
export const takeDeleteStep = (transact: TenantTransact, typeId: string, size = deleteSize): Promise<boolean> =>
  transact({}, async ({ own: tx }) => {
    const [row] = await tx.sql<{ done: number }>(dropRecords, [typeId, size]);
    if (row!.done > 0) return false;
    // SQL: only what was deleted.
    await tx.sql('delete from object_types where organization_id = $1 and id = $2 and deleted_at is not null', [typeId]);
    return true;
  });
