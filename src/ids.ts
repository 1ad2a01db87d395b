import Joi from 'joi';
import { v7, validate } from 'uuid';

export const uuidv7 = () => v7();
export const isUuid = (text: string) => validate(text);

/** The one spelling of an id that the database takes as well. */
export const id = Joi.string().guid({ separator: '-', wrapper: false });

/** An id in a job's payload. */
export const uuid = id.required();
