/** As ISO 8601, the database, and the standard libraries of .NET, Go and Python write it. */
const moment =
  /^([1-9]\d{3}-\d\d-\d\d)[ Tt]((?:[01]\d|2[0-3]):[0-5]\d)(?:(:[0-5]\d)(\.\d{1,9})?)?([Zz]|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)$/;
/** The forms that the database reads without rounding. */
const plain = /^.{10}[ T]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d(?::\d\d)?)$/;
const date = /^[1-9]\d{3}-\d\d-\d\d$/;

/** `2026-02-30` is no day: the database would reject it. */
export function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A zone may take a moment of the year 9999 into the next one, whose text no cursor and no client reads. */
function hasFourDigitYear(text: string): boolean {
  const year = new Date(momentMs(text)).getUTCFullYear();
  return year >= 1_000 && year <= 9_999;
}

/** With its zone, as ISO 8601 or as the database writes it; of the years 1000 to 9999, in UTC too. */
export function isMoment(text: string): boolean {
  const day = moment.exec(text)?.[1];
  return day !== undefined && isDay(day) && hasFourDigitYear(text);
}

export function toMoment(text: string): string | undefined {
  if (date.test(text)) return isDay(text) ? `${text}T00:00:00Z` : undefined;
  if (!isMoment(text)) return undefined;
  if (plain.test(text)) return text;
  const [, day, minutes, seconds = ':00', fraction = '', zone = ''] = moment.exec(text)!;
  const zoned = zone.toUpperCase().replace(/^(...)(\d\d)$/, '$1:$2');
  return `${day}T${minutes}${seconds}${fraction.slice(0, '.123456'.length)}${zoned}`;
}

/** JavaScript reads no zone without its minutes, as the database writes it. */
export const momentMs = (moment: string): number => Date.parse(moment.replace(/([+-]\d\d)$/, '$1:00'));

/** `2026-11-21 10:00:00+00`, with up to six digits of a second: as the database writes a time of the years to 9999. */
const isOfDatabase = (text: string) =>
  text.length >= 22 && text.length <= 29 && text[10] === ' ' && text.endsWith('+00') && (text.length === 22 || text[19] === '.');

/** A time as the wire shows it, to the millisecond. The database's own text in UTC needs no Date, and no pattern: a page has fifty of them. */
export function iso(value: string | Date): string {
  if (typeof value !== 'string' || !isOfDatabase(value)) return new Date(value).toISOString();
  const fraction = value.slice(20, -3).slice(0, 3).padEnd(3, '0');
  return `${value.slice(0, 10)}T${value.slice(11, 19)}.${fraction}Z`;
}
