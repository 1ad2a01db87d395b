import { Temporal } from 'temporal-polyfill';
import { isTimeZone } from './zones.ts';

const longestZone = 64;
/** By the name in small letters, so there are no more than the database of zones has. */
const zones = new Map<string, string>();
/** What custom fields hold in place of a zone: anything. */
const unknown = new Set<string>();
const maxUnknown = 1_000;

/** A zone as the IANA database writes it, from the value of a custom field in whatever case; the fallback for what is no zone. */
export function zoneOf(value: unknown, fallback: string): string {
  if (typeof value !== 'string' || value.length > longestZone) return fallback;
  const name = value.trim().toLowerCase();
  return zones.get(name) ?? found(name) ?? fallback;
}

/** About 50 µs a name, once. */
function found(name: string): string | undefined {
  if (unknown.has(name)) return undefined;
  if (!isTimeZone(name)) {
    if (unknown.size >= maxUnknown) unknown.clear();
    unknown.add(name);
    return undefined;
  }
  const zone = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  zones.set(name, zone);
  return zone;
}
