import type { Own } from '../../platform/database/own.ts';
import { type ErrorDetail, invalidField } from '../../platform/errors.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import { isBuiltIn } from '../../records/types/names.ts';
import { fieldNamed, loadType } from '../../records/types/object-type.ts';
import { checkValues } from '../../records/types/values.ts';
import { fault, hasLiquid, literal } from './faults.ts';

const noneOfRecords = (kind: string) =>
  isBuiltIn(kind) ? `Objects of the kind ${kind} have actions of their own` : 'No type of records has this kind';

/** Throws 422 for a kind that is none of records. */
export async function recordType(own: Own, kind: string): Promise<ObjectType> {
  const type = isBuiltIn(kind) ? undefined : await loadType(own, kind);
  if (!type) throw invalidField('kind', noneOfRecords(kind), 'kind.unknown');
  return type;
}

type Given = { kind?: string; fields?: Record<string, unknown> };

/** Of a step that writes a record. What the run's own record is, is not known before a run. */
export async function recordFaults(own: Own, { kind: given, fields = {} }: Given, isNew: boolean): Promise<ErrorDetail[]> {
  const kind = literal(given);
  if (!kind) return [];
  const type = isBuiltIn(kind) ? undefined : await loadType(own, kind);
  if (!type) return [fault('kind', 'kind.unknown', noneOfRecords(kind))];
  const known = Object.entries(fields).filter(([, value]) => !hasLiquid(value));
  const rendered = new Set(Object.keys(fields).filter((name) => hasLiquid(fields[name])));
  const unknown = [...rendered].filter((name) => !fieldNamed(type, name));
  const { faults } = await checkValues(own, type, Object.fromEntries(known), { isNew });
  return [
    ...unknown.map((name) => fault(`fields.${name}`, 'object.unknown', `${name} is no field of ${type.label}`)),
    // A required one that a run renders is not missing.
    ...faults.filter(({ path }) => !rendered.has(path)).map(({ path, code, message }) => fault(`fields.${path}`, code, message)),
  ];
}
