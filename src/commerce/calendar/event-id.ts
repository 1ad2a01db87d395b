import { createHash } from 'node:crypto';

const base32hex = '0123456789abcdefghijklmnopqrstuv';

/**
 * The id of a booking's entry, known before it is made: a repeated request makes no second one. A calendar never gives an id free, so an
 * entry that cannot be had back gets the next `generation`. 52 characters of a-v and 0-9, as the calendar takes them.
 */
export function eventIdOf(organizationId: string, bookingId: string, generation: number): string {
  const digest = createHash('sha256').update(`${organizationId}:${bookingId}:${generation}`).digest();
  let bits = '';
  for (const byte of digest) bits += byte.toString(2).padStart(8, '0');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => base32hex[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

/** By this a meeting is found whose creation had no answer. */
export const meetingMark = (bookingId: string) => `kanal:${bookingId}`;
