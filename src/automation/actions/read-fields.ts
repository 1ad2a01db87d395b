import type Joi from 'joi';
import { AppError, type ErrorDetail, fieldOf } from '../../platform/errors.ts';
import type { Action } from './action.ts';

const preferences: Joi.ValidationOptions = { abortEarly: false, errors: { wrap: { label: false } } };

/** Of a step, once Liquid is rendered: as the action takes them, with their defaults. Throws 422, each fault at its field. */
export function readFields(action: Action, given: Record<string, unknown>): Record<string, unknown> {
  const { value, error } = action.fields.validate(given, preferences);
  if (!error) return value;
  const details = error.details.map(
    ({ path, type, message }): ErrorDetail => ({ field: fieldOf(path), location: 'body', code: type, message }),
  );
  throw new AppError('invalid_request', details.length === 1 ? details[0]!.message : `${details.length} fields are not valid`, {
    details,
  });
}
