import { timeShares } from '../platform/load/shares.ts';
import { slices } from '../platform/load/slices.ts';
import { maxOfWhole, maxText } from './limits.ts';
import { type Parsed, parse, type TextFault, textsIn } from './parse.ts';

/** A parsed text takes some 50 bytes for each of its characters: about 12 MB in all. */
const bounds = { texts: 4_000, characters: 250_000 };

const kept = new Map<string, Parsed | TextFault>();
let characters = 0;

/** As `parse`, once while the text is in use: it is checked, published and run again and again. */
export function parsedText(text: string): Parsed | TextFault {
  const found = kept.get(text);
  const parsed = found ?? parse(text);
  if (found) kept.delete(text);
  else characters += text.length;
  // A map keeps the order of entry: the first was not used for longest.
  kept.set(text, parsed);
  for (const old of kept.keys()) {
    if (old === text || (kept.size <= bounds.texts && characters <= bounds.characters)) break;
    kept.delete(old);
    characters -= old.length;
  }
  return parsed;
}

/** For what looks at how far parsing is. */
export const isParsed = (text: string): boolean => kept.has(text);

/** For what measures how long parsing takes. */
export function forgetParsed(): void {
  kept.clear();
  characters = 0;
}

/**
 * Parses the Liquid texts of a value one by one, with turns of others in between, before a check or a run needs them all at once: call it before locks are
 * taken. What is beyond the bound is not parsed: whoever saves it refuses it.
 */
export async function parseAhead(organizationId: string, value: unknown): Promise<void> {
  const turnOfOthers = slices();
  let [left, tookMs] = [maxOfWhole, 0];
  for (const text of textsIn(value)) {
    // Refused unparsed.
    if (text.length > maxText) continue;
    left -= text.length;
    if (left < 0) break;
    const beganAt = performance.now();
    parsedText(text);
    tookMs += performance.now() - beganAt;
    await turnOfOthers();
  }
  timeShares.charge(organizationId, tookMs);
}
