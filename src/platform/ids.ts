import Joi from 'joi';
import { v7, validate } from 'uuid';

export const uuidv7 = () => v7();

/** No UUIDv7 of an earlier millisecond is greater, and none of this one or a later smaller. */
export const firstIdAt = (ms: number) => {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
export const isUuid = (text: string) => validate(text);

/** The one spelling of an id that the database takes as well, in small letters as it gives them: locks are named by ids. */
export const id = Joi.string().guid({ separator: '-', wrapper: false }).lowercase();

/** An id in a job's payload. */
export const uuid = id.required();
