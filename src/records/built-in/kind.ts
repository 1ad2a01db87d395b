import type { Caller } from '../../organizations/caller.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { isBuiltIn } from '../types/names.ts';
import { builtInLists } from './lists.ts';

const scopeOf = (kind: string) => (isBuiltIn(kind) ? builtInLists[kind].scope : 'crm:read');

/** A kind with its own table has its own scope, which is asked beside the endpoint's. */
export const maySee = ({ scopes }: Caller, kind: string): boolean => scopes.has(scopeOf(kind));

/** Throws 403, which names the scope. */
export function assertSees(caller: Caller, kind: string): void {
  if (maySee(caller, kind)) return;
  throw new AppError('forbidden', `The credential lacks the scope ${scopeOf(kind)}, which reading this kind needs too`);
}

/** Throws 422, which names where such an object is written. */
export function assertNotBuiltIn(kind: string): void {
  if (!isBuiltIn(kind)) return;
  const { path } = builtInLists[kind];
  throw invalidField('objectKind', `Objects of the kind ${kind} are written at ${path}`, 'kind.built_in', 'path');
}
