import type { Own } from '../platform/database/own.ts';
import { contactName, conversationName } from './display-names.ts';

import type { Relation } from './types/definition.ts';

export type SeenRelation = Pick<Relation, 'id' | 'name' | 'isInverse' | 'kind'>;

export type Related = { id: string; kind: string; display_name: string };
export type RelationSummary = { count: number; has_more: boolean; items: Related[] };
export type Relationships = Record<string, RelationSummary>;

const maxCount = 100;
const maxItems = 3;

const isLive = (table: string, id: string) => `
          exists (
            select 1
              from ${table} o
             where o.organization_id = $1 and o.id = ${id} and o.deleted_at is null)`;

/** SQL: of a link `l`: its other end is not in the bin. What has no bin is deleted with its links. */
export const isObjectLive = `
          case
            when l.to_record_id is not null then ${isLive('records', 'l.to_record_id')}
            when l.deal_id is not null then ${isLive('deals', 'l.deal_id')}
            when l.task_id is not null then ${isLive('crm_tasks', 'l.task_id')}
            else true
          end`;
export const isRecordLive = isLive('records', 'l.record_id');

/** SQL: what a row with the columns of a link's other end is called. */
export const nameOfLinked = (alias: string) => `
  case
    when ${alias}.to_record_id is not null
      then (select o.display_name from records o where o.organization_id = $1 and o.id = ${alias}.to_record_id)
    when ${alias}.contact_id is not null
      then (select ${contactName('o')} from contacts o where o.organization_id = $1 and o.id = ${alias}.contact_id)
    when ${alias}.deal_id is not null
      then (select o.title from deals o where o.organization_id = $1 and o.id = ${alias}.deal_id)
    when ${alias}.task_id is not null
      then (select o.title from crm_tasks o where o.organization_id = $1 and o.id = ${alias}.task_id)
    else (select ${conversationName('o')} from conversations o where o.organization_id = $1 and o.id = ${alias}.conversation_id)
  end`;

/** SQL: a page of objects times their relations, each a bounded range of an index. Reads one link more than it counts. */
const summaries = `
  select s.id, d.place::int as place, count(*)::int as total,
         jsonb_agg(jsonb_build_object('id', x.object_id, 'display_name', ${nameOfLinked('x')}) order by x.id desc)
           filter (where x.number <= ${maxItems}) as items
    from unnest($2::uuid[]) as s(id)
   cross join unnest($3::uuid[], $4::boolean[]) with ordinality as d(relation_id, is_inverse, place)
   cross join lateral (
    select e.*, row_number() over (order by e.id desc) as number
      from (
        (select l.id, l.object_id, l.contact_id, l.conversation_id, l.deal_id, l.task_id, l.to_record_id
           from record_links l
          where not d.is_inverse
            and l.organization_id = $1
            and l.record_id = s.id
            and l.relation_id = d.relation_id
            and ${isObjectLive}
          order by l.id desc
          limit ${maxCount + 1})
        union all
        (select l.id, l.record_id, null, null, null, null, l.record_id
           from record_links l
          where d.is_inverse
            and l.organization_id = $1
            and l.relation_id = d.relation_id
            and l.object_id = s.id
            and ${isRecordLive}
          order by l.id desc
          limit ${maxCount + 1})) e) x
   group by s.id, d.place`;
type Summed = { id: string; place: number; total: number; items: { id: string; display_name: string }[] };

/** Of each object every relation, in one statement. Names are left empty where `isSeen` says no. */
export async function relationshipsOf(
  own: Own,
  relations: SeenRelation[],
  ids: string[],
  isSeen: (kind: string) => boolean,
): Promise<(id: string) => Relationships> {
  if (relations.length === 0 || ids.length === 0) return () => noRelationships(relations);
  const places = [relations.map(({ id }) => id), relations.map(({ isInverse }) => isInverse)];
  const rows = await own.sql<Summed>(summaries, [ids, ...places]);
  const found = new Map(rows.map((row) => [`${row.id} ${row.place}`, row]));
  const of = (id: string, { kind }: SeenRelation, place: number): RelationSummary => {
    const { total, items } = found.get(`${id} ${place}`) ?? { total: 0, items: [] };
    return {
      count: Math.min(total, maxCount),
      has_more: total > maxCount,
      items: items.map((item) => ({ id: item.id, kind, display_name: isSeen(kind) ? item.display_name : '' })),
    };
  };
  return (id) => Object.fromEntries(relations.map((relation, index) => [relation.name, of(id, relation, index + 1)]));
}

/** Of what was just made. */
export const noRelationships = (relations: SeenRelation[]): Relationships =>
  Object.fromEntries(relations.map(({ name }) => [name, { count: 0, has_more: false, items: [] }]));
