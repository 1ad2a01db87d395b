import type { Own } from '../../platform/database/own.ts';
import { recordCreated, recordDeleted, recordUpdated } from '../../platform/events/crm-events.ts';
import { isHeard } from '../../platform/events/record.ts';
import { companyKind, companyOf } from './company.ts';
import type { ObjectType, Relation } from './definition.ts';
import { loadType, relationsOfType } from './object-type.ts';

type Current = { id: string; version: number; relations: Relation[]; is_heard?: boolean };

/** SQL: as the whole definition, without the fields. Relations are read each time: those of other types do not raise this one's version. */
const current = (more = '') => `
  select t.id, t.version, ${relationsOfType} as relations${more}
    from object_types t
   where t.organization_id = $1 and t.kind = $2 and t.deleted_at is null`;
const plain = current();
const heard = current(`, ${isHeard('$1', recordCreated.type, recordUpdated.type, recordDeleted.type)} as is_heard`);

const maxKnown = 500;
/** By their ids, the one asked for last at the end. A version has one definition, for ever. */
const known = new Map<string, ObjectType>();

function remember(type: ObjectType) {
  known.delete(type.id);
  known.set(type.id, type);
  if (known.size > maxKnown) known.delete(known.keys().next().value!);
}

/**
 * As `loadType`, for reads and for the look of a write: the fields are read once for each version of the type. Never within a transaction: a
 * version that is not committed may be given again.
 */
export const knownType = async (own: Own, kind: string): Promise<ObjectType | undefined> => (await find(own, kind, plain)).type;

/** Also whether an endpoint listens to events of records. */
export const knownTypeHeard = (own: Own, kind: string) => find(own, kind, heard);

async function find(own: Own, kind: string, text: string): Promise<{ type: ObjectType | undefined; isHeard: boolean }> {
  const [found] = await own.sql<Current>(text, [kind]);
  const isListenedTo = found?.is_heard ?? true;
  if (!found) return { type: kind === companyKind ? companyOf(own.organizationId) : undefined, isHeard: isListenedTo };
  const before = known.get(found.id);
  if (before?.version !== found.version) {
    const type = await loadType(own, kind);
    if (type && type.createdAt !== null) remember(type);
    return { type, isHeard: isListenedTo };
  }
  remember(before);
  return { type: { ...before, relations: found.relations }, isHeard: isListenedTo };
}
