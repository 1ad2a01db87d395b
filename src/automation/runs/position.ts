import type { Step, WaitForStep } from '../definition/definition.ts';

/**
 * A path to the next step: its index in the rule's steps, then, by turns, the list within that step and the index in that list: [2, 'branches.0', 1]. The
 * index after the last one: all is done.
 */
export type Place = [number, ...(number | string)[]];

/** Of the step in which the run waits. `until`: an ISO time. `awaits`: an event, whose id is in `event_id` once it came. */
export type Waiting = { until: string; awaits?: true; event_id?: string };
/** Of a step that calls outside. `claim`: of the attempt that is under way; without one the next attempt waits for its time. */
export type Calling = { claim?: string; is_repeatable: boolean };

/** `event_id`: of the event that a step waited for; later steps see it in place of the run's own. */
export type Position = { at: Place; event_id?: string; waiting?: Waiting; calling?: Calling };

export const beginning: Position = { at: [0] };

/** Of a stored one; `{}`: of a run that has not begun. */
export const positionOf = (stored: unknown): Position => ('at' in (stored as object) ? (stored as Position) : beginning);

/** The steps of a list of a step, by its name. */
function listIn(step: Step, list: string): Step[] {
  if (step.type === 'branch') {
    const { branches, else: otherwise = [] } = step as Extract<Step, { type: 'branch' }>;
    return list === 'else' ? otherwise : (branches[Number(list.slice('branches.'.length))]?.steps ?? []);
  }
  const { on_event = [], on_timeout = [] } = step as WaitForStep;
  return list === 'on_event' ? on_event : on_timeout;
}

/** The lists on the way to a place, each with the index in it. */
function wayTo(steps: Step[], at: Place): { list: Step[]; index: number }[] {
  const way = [{ list: steps, index: at[0] }];
  for (let turn = 1; turn + 1 < at.length; turn += 2) {
    const { list, index } = way.at(-1)!;
    way.push({ list: listIn(list[index]!, String(at[turn])), index: Number(at[turn + 1]) });
  }
  return way;
}

/** Undefined: there are no more. */
export function stepAt(steps: Step[], at: Place): Step | undefined {
  const { list, index } = wayTo(steps, at).at(-1)!;
  return list[index];
}

/** The steps from a place on to the end of its list. */
export function stepsFrom(steps: Step[], at: Place): Step[] {
  const { list, index } = wayTo(steps, at).at(-1)!;
  return list.slice(index);
}

/** After the step at a place: a list that is done leads to what follows the step that holds it. */
export function after(steps: Step[], at: Place): Place {
  const way = wayTo(steps, at);
  for (let depth = way.length - 1; depth >= 0; depth -= 1) {
    const { list, index } = way[depth]!;
    if (index + 1 < list.length || depth === 0) return [...at.slice(0, depth * 2), index + 1] as unknown as Place;
  }
  return at;
}

/** The first step of a list of the step at a place; of an empty one, what follows that step. `branches.<index>`, `else`, `on_event`, `on_timeout`. */
export function into(steps: Step[], at: Place, list: string): Place {
  return listIn(stepAt(steps, at)!, list).length > 0 ? [...at, list, 0] : after(steps, at);
}

/** The event that a run waits for, by the steps of its version. */
export function waitedFor(steps: Step[], stored: unknown): WaitForStep | undefined {
  const { at, waiting } = positionOf(stored);
  const step = stepAt(steps, at);
  return waiting && step?.type === 'wait_for' ? (step as WaitForStep) : undefined;
}
