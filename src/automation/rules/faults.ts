import type { Runs } from '../../platform/database/own.ts';
import { AppError, type ErrorDetail, maxDetails } from '../../platform/errors.ts';
import { timeShares } from '../../platform/load/shares.ts';
import { readDefinition } from '../definition/check.ts';
import type { Definition } from '../definition/definition.ts';

/** 422 with a detail for each fault, at its path. */
export function throwFaults(faults: ErrorDetail[]): void {
  if (faults.length === 0) return;
  const message = faults.length === 1 ? faults[0]!.message : `The rule has ${faults.length} faults`;
  throw new AppError('invalid_request', message, { details: faults.slice(0, maxDetails) });
}

/** The shape of a definition as it was given, with what it left out; counted for the organization. Throws 422 for each fault in it. */
export function readGiven({ organizationId }: Runs, given: unknown): Definition {
  const { definition, faults } = timeShares.count(organizationId, () => readDefinition(given));
  throwFaults(faults);
  return definition!;
}
