import { violatedConstraint } from '../../platform/database/errors.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { changedType, mustChange } from './change-types.ts';
import { companyKind, writeCompany } from './company.ts';
import type { ObjectType } from './definition.ts';
import { isBuiltIn } from './names.ts';
import { loadRelationsTo, loadType } from './object-type.ts';
import { type Cardinality, type DeleteRule, ObjectRelation } from './type.entity.ts';

export const maxRelations = 20;

export type RelationBody = {
  name: string;
  inverse_name: string;
  to_kind: string;
  cardinality: Cardinality;
  on_delete?: DeleteRule;
};

/** Throws 409 for a name that is taken at either end, 422 for an unknown kind. */
export async function addRelation(tx: OwnTx, kind: string, given: RelationBody): Promise<ObjectType> {
  const type = await mustChange(tx, kind);
  const { to_kind: toKind, name, inverse_name: inverseName } = given;
  const isOwn = toKind === kind;
  if (toKind === companyKind) await writeCompany(tx);
  const to = isBuiltIn(toKind) ? undefined : isOwn ? type : await loadType(tx, toKind);
  if (!to && !isBuiltIn(toKind)) throw invalidField('to_kind', `There is no kind ${toKind}`, 'any.only');
  if (isOwn && (given.cardinality === 'one_to_one' || name === inverseName))
    throw invalidField('cardinality', 'A relation of a kind to itself needs two names and is not one_to_one', 'any.invalid');
  if (type.relations.filter(({ isInverse }) => !isInverse).length >= maxRelations)
    throw new AppError('limit_reached', `A type has at most ${maxRelations} relations`);
  const atOtherEnd = isOwn ? type.relations : (to?.relations ?? (await loadRelationsTo(tx, toKind)));
  const taken = [
    ...type.relations.filter((one) => one.name === name || (isOwn && one.name === inverseName)),
    ...atOtherEnd.filter((one) => one.name === inverseName),
  ];
  if (taken.length > 0) throw new AppError('conflict', `There is a relation ${taken[0]!.name} already`);
  await tx
    .insert(ObjectRelation, {
      id: uuidv7(),
      type_id: type.id,
      name,
      inverse_name: inverseName,
      to_kind: toKind,
      to_type_id: to?.id ?? null,
      cardinality: given.cardinality,
      on_delete: given.on_delete ?? 'unlink',
    })
    .catch(refuseLeaving);
  return changedType(tx, type);
}

/** A relation to a type that is being deleted is not shown any more, and has its name until the type is gone. */
function refuseLeaving(error: unknown): never {
  if (!violatedConstraint(error)?.startsWith('object_relations_')) throw error;
  throw new AppError('conflict', 'A relation of this name is still being removed with the type that it led to; try again', {
    retryAfterSeconds: 5,
  });
}

/** With all its links. Throws 404, and 409 for the other end of one that another kind defines. */
export async function removeRelation(tx: OwnTx, kind: string, name: string): Promise<void> {
  const type = await mustChange(tx, kind);
  const relation = type.relations.find((one) => one.name === name);
  if (!relation) throw notFound('Relation');
  if (relation.isInverse && relation.kind !== kind)
    throw new AppError('conflict', `The relation is defined by ${relation.kind}, where its name is ${relation.inverseName}`);
  await tx.delete(ObjectRelation, { id: relation.id });
  await changedType(tx, type);
}
