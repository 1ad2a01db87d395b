import { timeShares } from '../platform/load/time-shares.ts';
import { maxOfWhole } from './limits.ts';
import { isParsed, parsedText } from './parsed.ts';
import { textsIn } from './value.ts';

/**
 * Parses the Liquid texts of a value one by one, in the organization's share of time, before a check or a run needs them all at once: not where locks are
 * held. What is beyond the bound is not parsed: whoever saves it refuses it.
 */
export async function parseAhead(organizationId: string, value: unknown): Promise<void> {
  await timeShares.rest(organizationId);
  let left = maxOfWhole;
  for (const text of textsIn(value)) {
    left -= text.length;
    if (left < 0) return;
    if (!isParsed(text)) await timeShares.work(organizationId, () => parsedText(text));
  }
}
