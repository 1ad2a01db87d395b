import Joi from 'joi';
import { id } from '../src/ids.ts';

/** Shapes that several resources share. */
export const pathId = id;
export const timestamp = Joi.string().isoDate().description('ISO 8601, UTC');
export { id };

export const iso = (value: string | Date) => new Date(value).toISOString();

/** Headers every reply may carry, for the document. */
export const operationNote =
  'Answers at once with the subject as it stands and names the operation in `Operation-Id` and `Link`; `Prefer: wait=10` waits for its outcome.';
