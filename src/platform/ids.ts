import Joi from 'joi';
import { NIL, v7, validate } from 'uuid';

/** Below every other id: where a walk in the order of ids begins. */
export const nilUuid: string = NIL;

export const uuidv7 = () => v7();

/** The smallest UUIDv7 of this millisecond: earlier ones are smaller, later ones greater. */
export const firstIdAt = (ms: number) => {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
export const isUuid = (text: string) => validate(text);

/** An id in lower case, as the database spells it: locks are named by ids. */
export const id = Joi.string().guid({ separator: '-', wrapper: false }).lowercase();

export const uuid = id.required();

/** The next greater id, for a position in a walk that begins with it. */
export function idAfter(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
