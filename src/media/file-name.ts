import { extname, win32 } from 'node:path';
import { cut, cutStart } from '../platform/cut.ts';

/** Of a path only the last part, as uploads in a form have it. */
const lastPart = (name: string): string => {
  const last = win32.basename(name);
  return last === '.' || last === '..' ? '' : last;
};

const maxLength = 1_024;
/** A longer one is no ending that a reader knows a file by. */
const maxEnding = 32;

/** A label for people; it names no place. What PostgreSQL cannot store is left out, and a name that is cut keeps its ending. */
export const storableName = (name = ''): string => shortened(lastPart(name.replaceAll('\u0000', '')).toWellFormed(), maxLength);

function shortened(whole: string, max: number): string {
  if (whole.length <= max) return whole;
  const ending = cutStart(extname(whole), maxEnding);
  return cut(whole, max - ending.length) + ending;
}

/** Characters that turn the direction of writing, by which a name can hide what it ends in. */
const turning = /[\u202a-\u202e\u2066-\u2069]/g;

/** The provider's limit. */
const maxShown = 240;

/** The name of a document that is sent: of a path only the last part. */
export const shownName = (name: string): string => shortened(lastPart(receivedName(name)), maxShown);

/** Of a file from an unknown sender. `storableName` does the rest. */
export const receivedName = (name: string): string => name.replace(turning, '');
