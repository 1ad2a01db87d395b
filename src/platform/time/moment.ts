const moment = /^([1-9]\d{3}-\d\d-\d\d)[ T]([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{1,6})?(Z|[+-](0\d|1[0-4])(:[0-5]\d)?)$/;
const date = /^[1-9]\d{3}-\d\d-\d\d$/;

/** `2026-02-30` is no day: the database would reject it. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** With its zone, as ISO 8601 or as the database writes it. */
export function isMoment(text: string): boolean {
  const day = moment.exec(text)?.[1];
  return day !== undefined && isDay(day);
}

export function toMoment(text: string): string | undefined {
  if (date.test(text)) return isDay(text) ? `${text}T00:00:00Z` : undefined;
  return isMoment(text) ? text : undefined;
}

/** JavaScript reads no zone without its minutes, as the database writes it. */
export const momentMs = (moment: string): number => Date.parse(moment.replace(/([+-]\d\d)$/, '$1:00'));
