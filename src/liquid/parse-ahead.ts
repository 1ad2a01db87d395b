import { slices } from '../platform/load/slices.ts';
import { timeShares } from '../platform/load/time-shares.ts';
import { maxOfWhole } from './limits.ts';
import { isParsed, parsedText } from './parsed.ts';
import { textsIn } from './value.ts';

/**
 * Parses the Liquid texts of a value one by one, with turns of others in between, before a check or a run needs them all at once: call it before locks are
 * taken. What is beyond the bound is not parsed: whoever saves it refuses it.
 */
export async function parseAhead(organizationId: string, value: unknown): Promise<void> {
  const turnOfOthers = slices();
  let [left, tookMs] = [maxOfWhole, 0];
  for (const text of textsIn(value)) {
    left -= text.length;
    if (left < 0) break;
    if (isParsed(text)) continue;
    const beganAt = performance.now();
    parsedText(text);
    tookMs += performance.now() - beganAt;
    await turnOfOthers();
  }
  timeShares.charge(organizationId, tookMs);
}
