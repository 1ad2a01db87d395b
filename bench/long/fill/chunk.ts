import type { Sizes } from '../sizes.ts';
import { eventParts } from './event-parts.ts';
import { jobRows } from './job-rows.ts';
import { messageParts } from './message-parts.ts';
import { providerParts } from './provider-parts.ts';
import { sharesOf } from './shares.ts';

/**
 * Messages $1 to $2 of $3, the last one now, with all that each leaves behind: events, deliveries, attempts, bodies of the provider, stored
 * replies, failed jobs and operations. Ids are by their time. $4: the people.
 */
export function chunkStatement(sizes: Sizes): string {
  const shares = sharesOf(sizes);
  const parts = [messageParts, eventParts, providerParts].map((part) => part(shares));
  return `with ${parts.join(',')} ${jobRows(shares)}`;
}
