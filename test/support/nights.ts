import { Temporal } from 'temporal-polyfill';

/** Half hours, three quarters, half an hour of summer time, summer time that ends for Ramadan, and zones that gave it up. */
export const twelveZones = [
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Tehran',
  'Pacific/Chatham',
  'America/St_Johns',
  'Asia/Kolkata',
  'Antarctica/Troll',
];

const lastYear = '2027-01-01T00:00Z';
/** Before, some clocks showed the mean time of a place, with its seconds. */
const firstMs = Date.parse('1940-01-01T00:00Z');
/** A whole day that the calendar of Samoa does not have: 30 December 2011. */
const lostDay = ['Pacific/Apia', '2011-12-30T10:00:00.000Z', Date.parse('2011-12-30T10:00Z')] as const;

/** The last two changes of each zone's clock, most of them the two nights of a year: [zone, the moment as text, the moment]. */
export const nights: (readonly [zone: string, at: string, ms: number])[] = [
  ...twelveZones.flatMap((zone) => {
    const last = Temporal.Instant.from(lastYear).toZonedDateTimeISO(zone).getTimeZoneTransition('previous')!;
    const before = last.getTimeZoneTransition('previous')!;
    const times = [before.epochMilliseconds, last.epochMilliseconds].filter((ms) => ms > firstMs);
    return times.map((ms) => [zone, new Date(ms).toISOString(), ms] as const);
  }),
  lostDay,
];
