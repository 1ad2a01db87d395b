import { AppError } from '../../platform/errors.ts';
import { maxVarsBytes } from '../limits.ts';

type Vars = Record<string, unknown>;

/** Of a run, with those that a step sets. Throws 422 for more than a run may have. */
export function withVars(before: Vars, set: object): Vars {
  const vars = { ...before, ...set };
  if (Buffer.byteLength(JSON.stringify(vars)) > maxVarsBytes)
    throw new AppError('limit_reached', `The variables of a run have at most ${maxVarsBytes} bytes`);
  return vars;
}
