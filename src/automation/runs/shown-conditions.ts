import { cut } from '../../platform/cut.ts';
import type { Seen } from '../conditions/evaluate.ts';

/** Conditions that a trial shows in all; a definition may have thousands. */
export const maxShownConditions = 500;
/** Of what is there, as text or JSON. A condition is asked about up to 16 kB, and hundreds may ask about the same. */
export const maxShownCharacters = 200;

export type Asked = { holds: boolean; seen: Seen[] };

/** What a trial shows of its conditions: those that were asked first, each with the beginning of what it saw. */
export class ShownConditions {
  private left = maxShownConditions;

  of({ holds, seen }: Asked): Asked {
    const shown = seen.slice(0, this.left);
    this.left -= shown.length;
    return { holds, seen: shown.map((one) => ({ ...one, actual: begun(one.actual) })) };
  }
}

/** A list or an object that is longer: its JSON, cut. */
function begun(actual: unknown): unknown {
  const text = typeof actual === 'object' && actual !== null ? JSON.stringify(actual) : actual;
  if (typeof text !== 'string' || text.length <= maxShownCharacters) return actual;
  return `${cut(text, maxShownCharacters)}…`;
}
