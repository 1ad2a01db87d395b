import { AppError } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { sha256 } from '../secrets.ts';
import { isMoment, toMoment } from '../time/moment.ts';

export type CursorType = 'id' | 'time' | 'time_or_none' | 'text' | 'number' | 'line' | 'seq' | 'value';

export const decimal = /^-?\d{1,100}(\.\d+)?$/;

const isOfType: Record<CursorType, (value: unknown) => boolean> = {
  id: (value) => typeof value === 'string' && isUuid(value),
  time: (value) => typeof value === 'string' && isMoment(value),
  time_or_none: (value) => typeof value === 'string' && (toMoment(value) !== undefined || value === 'infinity'),
  text: (value) => typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed(),
  line: (value) => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31,
  // `=` and a value of a typed field, or nothing; which of them its column can hold is for the list to say.
  value: (value) =>
    typeof value === 'string' && (value === '' || value.startsWith('=')) && !value.includes('\u0000') && value.isWellFormed(),
  number: (value) => typeof value === 'string' && value.length < 4_096 && decimal.test(value),
  // Within a bigint.
  seq: (value) => typeof value === 'string' && /^\d{1,18}$/.test(value),
};

export const bindingOf = (parts: unknown) => sha256(JSON.stringify(parts)).toString('base64url').slice(0, 12);

export const cursorOf = (binding: string, position: readonly (string | number)[]) =>
  Buffer.from(JSON.stringify([binding, ...position])).toString('base64url');

/** Throws 400 for a made-up cursor, or one of another list, order or filter. */
export function positionIn<Position extends (string | number)[] = string[]>(
  cursor: string,
  binding: string,
  types: readonly CursorType[],
): Position {
  try {
    const [bound, ...position] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    const isOurs = position.length === types.length && types.every((type, index) => isOfType[type](position[index]));
    if (bound === binding && isOurs) return position as Position;
  } catch {
    // The same answer as for every foreign cursor.
  }
  throw new AppError('bad_request', 'The cursor is not valid for this list');
}
