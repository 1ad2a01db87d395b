import type { Caller } from '../../organizations/caller.ts';
import type { Scope } from '../../organizations/scopes.ts';
import { AppError } from '../../platform/errors.ts';
import { scopesOf } from '../definition/check.ts';
import type { Definition } from '../definition/definition.ts';

export type MaySave = Pick<Caller, 'scopes'>;

/**
 * A published rule acts as the organization does, whoever began it: nobody makes it do what they may not do themselves. Throws 403, which names each scope
 * that is missing.
 */
export function assertMayUse({ scopes }: MaySave, ...definitions: Definition[]): void {
  const needed = new Set<Scope>(definitions.flatMap((one) => scopesOf(one)));
  const missing = [...needed].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return;
  const names = missing.join(', ');
  throw new AppError('forbidden', `The actions of the rule need ${names}, which the credential does not have`);
}
