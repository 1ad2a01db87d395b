import { extname, win32 } from 'node:path';

/** Of a path only the last part, as uploads in a form have it. */
const lastPart = (name: string): string => {
  const last = win32.basename(name);
  return last === '.' || last === '..' ? '' : last;
};

const maxLength = 1_024;
/** A longer one is no ending that a reader knows a file by. */
const maxEnding = 32;

/** A label for people; it names no place. What PostgreSQL cannot store is left out, and a name that is cut keeps its ending. */
export function storableName(name = ''): string {
  const whole = lastPart(name.replaceAll('\u0000', '')).toWellFormed();
  if (whole.length <= maxLength) return whole;
  const ending = extname(whole).slice(-maxEnding);
  return (whole.slice(0, maxLength - ending.length) + ending).toWellFormed();
}

/** Characters that turn the direction of writing, by which a name can hide what it ends in. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** Of a file from somebody nobody knows. `storableName` does the rest. */
export const receivedName = (name: string): string => name.replace(turning, '');
