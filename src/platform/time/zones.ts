/** Also what PostgreSQL takes as a zone: the name of a place, not an offset such as `+01:00`. */
const name = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/;

/** A zone of the IANA database, such as `Europe/Berlin` or `UTC`. */
export function isTimeZone(text: string): boolean {
  if (!name.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return true;
  } catch {
    return false;
  }
}
