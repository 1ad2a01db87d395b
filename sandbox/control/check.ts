import type Joi from 'joi';

export class ControlError extends Error {
  readonly status: number;
  readonly details: object[];

  constructor(status: number, message: string, details: object[] = []) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Every fault at once, with the path of the field. */
export function check<T>(schema: Joi.Schema<T>, value: unknown): T {
  const result = schema.label('body').required().validate(value, { abortEarly: false });
  if (result.error) {
    const details = result.error.details.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new ControlError(422, result.error.message, details);
  }
  return result.value;
}
