import { type LiquidFault, liquidCharacters, liquidFaults } from '../../liquid/faults.ts';
import { cut } from '../../platform/cut.ts';
import { type ErrorDetail, maxDetails, type Path } from '../../platform/errors.ts';
import type { ObjectType } from '../../records/types/definition.ts';
import type { Action } from '../actions/action.ts';
import { maxDepth, maxLiquid, maxSteps } from '../limits.ts';
import { faultsAroundLiquid } from './around-liquid.ts';
import { controlSteps, stepId } from './control-steps.ts';
import type { Branch, Step } from './definition.ts';
import { secretUseFaults } from './secret-uses.ts';
import { inBody, shaped } from './shape.ts';
import { eventAmong, variablesFor } from './variables.ts';

export type ConditionFaults = (
  given: unknown,
  path: Path,
  context: { event?: string | null; steps?: ReadonlySet<string>; types?: ObjectType[] },
) => ErrorDetail[];

/** What the check of a definition stands on. */
export type Kit = { actions: ReadonlyMap<string, Action>; conditionFaults: ConditionFaults };

/** `events`: types that the rule may see; none: any. `ids`: of the steps before, and at the end of all. */
type Reading = Kit & { events: string[]; ids: Set<string>; faults: ErrorDetail[] };
const namedId = stepId.label('id');

type Object_ = Record<string, unknown>;

/** Each fault at its place, all at once. What is returned is a list of steps only where there are none. */
export function readSteps(reading: Reading, given: unknown[]): Step[] {
  const { faults, ids } = reading;
  const say = (path: Path, code: string, message: string) => faults.push(inBody(path, code, message));
  let [count, characters] = [0, 0];
  return readList(given, ['steps'], 0);

  /** `depth`: the lists that it is in. */
  function readList(list: unknown[], path: Path, depth: number): Step[] {
    return list.flatMap((one, index) => {
      count++;
      if (count === maxSteps + 1)
        say(['steps'], 'steps.too_many', `A rule has at most ${maxSteps} steps, those in branches included`);
      // Thousands of them would take their time, and the reply names a hundred faults.
      return count > maxSteps || faults.length > maxDetails ? [] : [readStep(one, [...path, index], depth)];
    });
  }

  function readStep(one: unknown, path: Path, depth: number): Step {
    if (one === null || typeof one !== 'object' || Array.isArray(one)) {
      say(path, 'object.base', 'A step must be an object');
      return empty;
    }
    const step = one as Object_;
    const type = typeof step.type === 'string' ? step.type : '';
    const control = controlSteps.get(type);
    const action = reading.actions.get(type);
    if (!control && !action) {
      say(
        [...path, 'type'],
        'step.type_unknown',
        type ? `There is no action ${cut(type, 100)}: see the catalogue` : 'type is required',
      );
      nameStep(step.id, path);
      return empty;
    }
    return control ? readControl(step, control.schema, path, depth) : readAction(step, action!, path);
  }

  function nameStep(id: unknown, path: Path): void {
    if (typeof id !== 'string') return;
    if (ids.has(id)) say([...path, 'id'], 'step.id_twice', `The step id ${cut(id, 100)} is given twice`);
    ids.add(id);
  }

  function readAction({ id, type, ...fields }: Object_, action: Action, path: Path): Step {
    faults.push(...shaped(namedId, id, [...path, 'id']).faults, ...faultsAroundLiquid(action.fields, fields, path));
    const isSound = checkLiquid(fields, path, action.kind === 'call');
    if (isSound && action.kind === 'call') faults.push(...secretUseFaults(fields, path));
    nameStep(id, path);
    return { ...fields, id: id as string, type: type as string };
  }

  function readControl(step: Object_, schema: Parameters<typeof shaped>[0], path: Path, depth: number): Step {
    const read = shaped(schema, step, path);
    faults.push(...read.faults);
    const value = read.value as Object_;
    const { type, id } = step;
    if (type === 'wait_for' && value.conditions != null) {
      const event = typeof value.event === 'string' ? value.event : undefined;
      faults.push(...reading.conditionFaults(value.conditions, [...path, 'conditions'], { event, steps: new Set(ids) }));
    }
    checkLiquid({ until: value.until, vars: value.vars, reason: value.reason }, path, false);
    nameStep(id, path);
    if (type === 'branch') return readBranches(value, path, depth);
    if (type !== 'wait_for') return value as Step;
    return { ...value, ...within(value, ['on_event', 'on_timeout'], path, depth) } as Step;
  }

  function readBranches(value: Object_, path: Path, depth: number): Step {
    const branches = !Array.isArray(value.branches)
      ? []
      : value.branches.map((one, index): Branch | undefined => {
          if (one === null || typeof one !== 'object') return undefined;
          const at = [...path, 'branches', index];
          const { conditions } = one as Object_;
          if (conditions != null)
            faults.push(
              ...reading.conditionFaults(conditions, [...at, 'conditions'], {
                event: eventAmong(reading.events),
                steps: new Set(ids),
              }),
            );
          return { ...(one as Object_), ...within(one as Object_, ['steps'], at, depth) } as Branch;
        });
    return { ...value, branches, ...within(value, ['else'], path, depth) } as Step;
  }

  function within(whole: Object_, names: string[], path: Path, depth: number): Object_ {
    const lists = names.filter((name) => Array.isArray(whole[name]));
    const tooDeep = depth >= maxDepth && lists.find((name) => (whole[name] as unknown[]).length > 0);
    if (tooDeep) say([...path, tooDeep], 'steps.too_deep', `Branches are at most ${maxDepth} deep in each other`);
    if (tooDeep) return {};
    return Object.fromEntries(lists.map((name) => [name, readList(whole[name] as unknown[], [...path, name], depth + 1)]));
  }

  function checkLiquid(fields: Object_, path: Path, mayHoldSecrets: boolean): boolean {
    const before = characters;
    characters += liquidCharacters(fields);
    if (before <= maxLiquid && characters > maxLiquid)
      say(path, 'liquid.too_many', `All Liquid of a rule has at most ${maxLiquid} characters`);
    if (characters > maxLiquid) return false;
    const variables = variablesFor(reading.events, ids, mayHoldSecrets);
    const found = liquidFaults(fields, path, { of: 'a step', variables }).map(detailOf);
    faults.push(...found);
    return found.length === 0;
  }
}

const detailOf = ({ path, code, message }: LiquidFault): ErrorDetail => inBody(path, code, message);

/** Stands for one that cannot be read: there are faults then, and no definition. */
const empty: Step = { id: '', type: 'stop' };
