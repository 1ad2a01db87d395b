import { removed, type tracesOf } from '../../contacts/erasure/traces.ts';

export type Clean = ReturnType<typeof tracesOf>;

/** The whole value was the person's: a record does not have it any more, and its history neither. */
export const isNothingLeft = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && value !== '' && value.replaceAll(removed, '').trim() === '');

/** Of a revision: a value that was nothing but the person is gone. */
export const withoutNothing = (value: unknown): unknown => (isNothingLeft(value) ? null : value);
