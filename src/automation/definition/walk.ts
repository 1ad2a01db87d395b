import type { Path } from '../../platform/errors.ts';
import type { Conditions } from '../conditions/conditions.ts';
import type { Branch, Definition, Step } from './definition.ts';

/** The lists of steps within a step, by their place in it. */
export function listsIn(step: Step): { at: Path; steps: Step[] }[] {
  if (step.type === 'branch') {
    const { branches, else: otherwise } = step as Extract<Step, { type: 'branch' }>;
    const lists = branches.map(({ steps }, index) => ({ at: ['branches', index, 'steps'] as Path, steps }));
    return otherwise ? [...lists, { at: ['else'], steps: otherwise }] : lists;
  }
  if (step.type !== 'wait_for') return [];
  const names = ['on_event', 'on_timeout'] as const;
  return names.flatMap((name) => {
    const steps = step[name] as Step[] | undefined;
    return steps ? [{ at: [name], steps }] : [];
  });
}

/** All steps of a definition that was read, in the order of the text. `path`: from the definition on. */
export function* stepsIn(steps: Step[], at: Path = ['steps']): Generator<{ step: Step; path: Path }> {
  for (const [index, step] of steps.entries()) {
    const path = [...at, index];
    yield { step, path };
    for (const list of listsIn(step)) yield* stepsIn(list.steps, [...path, ...list.at]);
  }
}

/** All conditions of a definition that was read, those of its steps included. */
export function* conditionsIn({ conditions, steps, exit_when }: Definition): Generator<{ conditions: Conditions; path: Path }> {
  if (conditions) yield { conditions, path: ['conditions'] };
  for (const { step, path } of stepsIn(steps)) {
    const one = step as { conditions?: Conditions; branches?: Branch[] };
    if (step.type === 'wait_for' && one.conditions) yield { conditions: one.conditions, path: [...path, 'conditions'] };
    if (step.type !== 'branch') continue;
    for (const [index, branch] of one.branches!.entries())
      yield { conditions: branch.conditions, path: [...path, 'branches', index, 'conditions'] };
  }
  if (exit_when) yield { conditions: exit_when, path: ['exit_when'] };
}
