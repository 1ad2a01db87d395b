import Joi from 'joi';
import { v7, validate } from 'uuid';

export const uuidv7 = () => v7();
export const isUuid = (text: string) => validate(text);

/** An id in a job's payload. */
export const uuid = Joi.string().guid().required();
