import { type ErrorDetail, type Path, fieldOf as textOf } from '../../platform/errors.ts';
import { maxConditions, maxDepth } from '../limits.ts';
import { comparisonFault, type Found } from './comparison-faults.ts';
import type { ConditionContext } from './named.ts';

const groups = ['all', 'any', 'not'] as const;

type Walk = { context: ConditionContext; faults: ErrorDetail[]; count: number };

/** Everything that is wrong with conditions, each at its path. */
export function conditionFaults(given: unknown, path: Path, context: ConditionContext = {}): ErrorDetail[] {
  const walk: Walk = { context, faults: [], count: 0 };
  look(given, path, 1, walk);
  if (walk.count > maxConditions)
    refuse(walk, path, { at: '', code: 'array.max', message: `There must not be more than ${maxConditions} conditions` });
  return walk.faults;
}

const refuse = ({ faults }: Walk, path: Path, { at, code, message }: Found) =>
  void faults.push({ field: `${textOf(path)}${at}`, location: 'body', code, message });

function look(given: unknown, path: Path, depth: number, walk: Walk): void {
  const refused = (code: string, message: string, at = path) => refuse(walk, at, { at: '', code, message });
  if (typeof given !== 'object' || given === null || Array.isArray(given)) refused('object.base', shape);
  else if (!groups.some((name) => Object.hasOwn(given, name))) lookAtOne(given as Record<string, unknown>, path, walk);
  else if (Object.keys(given).length > 1) refused('object.unknown', shape);
  else if (depth > maxDepth) refused('object.depth', `Conditions must not be deeper than ${maxDepth} levels`);
  else {
    const [[name, inside]] = Object.entries(given) as [[string, unknown]];
    const isList = Array.isArray(inside) && inside.length > 0;
    if (name === 'not') look(inside, [...path, name], depth + 1, walk);
    else if (!isList) refused('array.min', `${name} must be a list of one condition or more`, [...path, name]);
    else for (const [index, one] of inside.entries()) look(one, [...path, name, index], depth + 1, walk);
  }
}

function lookAtOne(given: Record<string, unknown>, path: Path, walk: Walk): void {
  walk.count += 1;
  if (walk.count > maxConditions) return;
  const fault = comparisonFault(given, walk.context);
  if (fault) refuse(walk, path, fault);
}

const shape = 'A condition must have field, operator and value, or one of all, any and not, and nothing else';
