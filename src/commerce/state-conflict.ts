import { AppError } from '../platform/errors.ts';

/** A state stands in the way, and no field of the request: `details` say what it is, and name no place. */
export const stateConflict = (message: string, { code = 'status.move', value }: { code?: string; value?: string }) =>
  new AppError('conflict', message, { details: [{ code, message, ...(value !== undefined && { value }) }] });
