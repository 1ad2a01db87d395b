import type { Scope } from '../../organizations/scopes.ts';
import type { Action } from '../actions/action.ts';
import type { Definition } from './definition.ts';
import { stepsIn } from './walk.ts';

/** Whoever saves or publishes it needs them all: what its actions do, it does for them. */
export function scopesFor(actions: ReadonlyMap<string, Action>, { steps }: Pick<Definition, 'steps'>): Scope[] {
  return [...new Set([...stepsIn(steps)].flatMap(({ step }) => actions.get(step.type)?.scopes ?? []))];
}
