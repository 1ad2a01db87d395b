import type { Own } from '../platform/database/own.ts';
import { companyKind, companyOf } from './types/company.ts';
import type { Relation } from './types/definition.ts';

/** SQL: with the types that define them. */
const toBuiltIn = `
  select r.id, r.inverse_name as name, r.name as "inverseName", t.kind, true as "isInverse", r.cardinality, r.on_delete as "onDelete",
         r.cardinality in ('one_to_one', 'one_to_many') as "isSingle"
    from object_relations r
    join object_types t on t.organization_id = r.organization_id and t.id = r.type_id
   where r.organization_id = $1
     and r.to_kind = $2
     and t.deleted_at is null
   order by t.kind, r.created_at, r.id`;

/** The relations that types define to a kind with its own table, as seen from there. */
export async function relationsToBuiltIn(own: Own, kind: string): Promise<Relation[]> {
  const stored = await own.sql<Relation>(toBuiltIn, [kind]);
  if (stored.some((relation) => relation.kind === companyKind)) return stored;
  return [
    ...companyOf(own.organizationId).relations.flatMap((one) => (one.kind === kind ? [seenFromThere(one)] : [])),
    ...stored,
  ];
}

const seenFromThere = (relation: Relation): Relation => ({
  ...relation,
  name: relation.inverseName,
  inverseName: relation.name,
  kind: companyKind,
  isInverse: true,
  isSingle: relation.cardinality === 'one_to_one' || relation.cardinality === 'one_to_many',
});
