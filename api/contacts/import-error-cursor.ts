import { AppError } from '../../src/platform/errors.ts';
import { isUuid } from '../../src/platform/ids.ts';

/** These lists are in the order of the file: their cursor is a line, bound to the import. */
export const importErrorCursor = (importId: string, { line, id }: { line: number; id: string }) =>
  Buffer.from(JSON.stringify([importId, line, id])).toString('base64url');

/** Throws 400 for a cursor of another list, or one we never gave. */
export function importErrorKeyset(importId: string, cursor: string): [line: number, id: string] {
  try {
    const [own, line, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, number, string];
    if (own === importId && Number.isInteger(line) && Math.abs(line) < 2 ** 31 && isUuid(id)) return [line, id];
  } catch {
    // Falls through to the one answer for every cursor that is not ours.
  }
  throw new AppError('bad_request', 'The cursor is not valid for this list');
}
