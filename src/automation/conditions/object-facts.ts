import { type DealRow, findDeal, findInBin as findDealInBin } from '../../deals/deal-row.ts';
import { shownFields } from '../../deals/shown.ts';
import type { Own } from '../../platform/database/own.ts';
import { iso } from '../../platform/time/moment.ts';
import { type RecordRow, recordColumns } from '../../records/record-row.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { knownType } from '../../records/types/known-type.ts';
import { type TaskRow, taskColumns } from '../../tasks/task-row.ts';
import { type Plain, plainRow } from './plain-facts.ts';

const linkNames = ['contact_id', 'conversation_id', 'deal_id', 'record_id'];

const shownDeal = (row: DealRow): Plain => ({
  id: row.id,
  ...shownFields(row),
  probability: row.probability,
  contacts: row.contacts,
  revision: row.revision,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export async function dealFacts(own: Own, id: string, mayBeInBin: boolean): Promise<Plain | undefined> {
  const row = (await findDeal(own, id)) ?? (mayBeInBin ? await findDealInBin(own, id) : undefined);
  return row && shownDeal(row);
}

const idsOf = (name: string) => `
    array_remove(array_agg(t.${name}), null) as ${name}`;

/** SQL: its targets are a list made of a second table; here also those in the bin, by which lists filter. */
const task = `
  select ${taskColumns}, to_jsonb(l) as links
    from crm_tasks k,
         lateral (
           select ${linkNames.map(idsOf).join(', ')}
             from task_targets t
            where t.organization_id = k.organization_id and t.task_id = k.id) l
   where k.organization_id = $1
     and k.id = $2
     and (k.deleted_at is null or $3)`;

export type TaskFacts = { task: Plain; links: Record<string, string[]> };

export async function taskFacts(own: Own, id: string, mayBeInBin: boolean): Promise<TaskFacts | undefined> {
  const [row] = await own.sql<TaskRow & { links: Record<string, string[] | null> }>(task, [id, mayBeInBin]);
  if (!row) return undefined;
  const { links, targets, ...shown } = row;
  const about = { object_id: targets[0]?.object_id ?? null, object_kind: targets[0]?.object_kind ?? null };
  return {
    task: { ...plainRow(shown), ...about, targets: targets.map(plainRow) },
    links: Object.fromEntries(linkNames.map((name) => [name, links[name] ?? []])),
  };
}

/** SQL: as `recordColumns`, with its kind, which is of a second table. */
const record = `
  select ${recordColumns}, o.kind
    from records k
    join object_types o on o.organization_id = k.organization_id and o.id = k.type_id
   where k.organization_id = $1
     and k.id = $2
     and (k.deleted_at is null or $3)`;

export type RecordFacts = { record: Plain; type: ObjectType };

/** Its declared fields, also by their names alone, as lists filter by them: no field has a name of the record's own. */
export async function recordFacts(own: Own, id: string, mayBeInBin: boolean): Promise<RecordFacts | undefined> {
  const [row] = await own.sql<RecordRow & { kind: string }>(record, [id, mayBeInBin]);
  const type = row && (await knownType(own, row.kind));
  if (!type) return undefined;
  const declared = type.fields.filter(({ name }) => Object.hasOwn(row.fields, name));
  const fields = Object.fromEntries(declared.map(({ name }) => [name, row.fields[name]]));
  const { deleted_at: _, enrichments: __, ...shown } = row;
  return { record: { ...fields, ...plainRow(shown), fields }, type };
}
