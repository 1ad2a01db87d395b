import { sql } from 'kysely';
import { isLiquid } from '../../liquid/parse.ts';
import { Membership } from '../../organizations/organization.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { ErrorDetail } from '../../platform/errors.ts';

/* What publishing a rule finds in a step. What Liquid gives is not known before a run. */

export const fault = (field: string, code: string, message: string): ErrorDetail => ({ field, location: 'body', code, message });

/** Also in what is inside of it. */
export function hasLiquid(value: unknown): boolean {
  if (typeof value === 'string') return isLiquid(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLiquid);
}

/** Undefined for a text that a run renders. */
export const literal = <Value>(value: Value): Value | undefined => (hasLiquid(value) ? undefined : value);

const membersOf = statement((select, { ids }: { ids: string[] }) =>
  select(Membership).select('user_id').where('user_id', '=', sql<string>`any(${ids}::uuid[])`),
);

/** `ids`: by the field that names each. */
export async function memberFaults(own: Own, ids: Record<string, unknown>): Promise<ErrorDetail[]> {
  const given = Object.entries(ids).filter((one): one is [string, string] => typeof literal(one[1]) === 'string');
  if (given.length === 0) return [];
  const found = new Set<string>((await membersOf(own, { ids: given.map(([, id]) => id) })).map(({ user_id }) => user_id));
  return given
    .filter(([, id]) => !found.has(id.toLowerCase()))
    .map(([field]) => fault(field, 'member.unknown', 'No member of the organization has this id'));
}
