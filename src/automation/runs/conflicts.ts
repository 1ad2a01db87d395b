import { brokenReference } from '../../platform/database/errors.ts';

/** What others did at the same time: the next look says what is missing. */
export const conflicts = { outdatedBy: (error: unknown) => brokenReference(error) !== undefined };
