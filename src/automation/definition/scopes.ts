import type { Scope } from '../../organizations/scopes.ts';
import { type Action, scopesOfStep } from '../actions/action.ts';
import type { Definition } from './definition.ts';
import { stepsIn } from './walk.ts';

/** Whoever saves or publishes it needs them all: what its actions do, it does for them. */
export function scopesFor(actions: ReadonlyMap<string, Action>, { steps }: Pick<Definition, 'steps'>): Scope[] {
  const needed = [...stepsIn(steps)].flatMap(({ step }) => {
    const { id: _, type, ...fields } = step as Record<string, unknown> & { type: string };
    const action = actions.get(type);
    return action ? scopesOfStep(action, fields) : [];
  });
  return [...new Set(needed)];
}
