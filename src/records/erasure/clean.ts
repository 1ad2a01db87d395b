import { removed, type tracesOf } from '../../contacts/erasure/traces.ts';
import type { HistoryChanges } from '../../history/history.entity.ts';

export type Clean = ReturnType<typeof tracesOf>;

/** The whole value was the person's: a record does not have it any more, and its history neither. */
export const isNothingLeft = (value: unknown): boolean =>
  value === null || (typeof value === 'string' && value !== '' && value.replaceAll(removed, '').trim() === '');

/** Of a revision: a value that was nothing but the person is gone. */
export function cleanChanges(changes: HistoryChanges, clean: Clean): HistoryChanges {
  const left = (value: unknown) => {
    const cleaned = clean(value);
    return isNothingLeft(cleaned) ? null : cleaned;
  };
  const entries = Object.entries(changes).map(([name, { from, to }]) => [clean(name), { from: left(from), to: left(to) }]);
  return Object.fromEntries(entries);
}
