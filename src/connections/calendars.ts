import type { Own } from '../platform/database/own.ts';
import type { Calendar, CalendarHead } from '../providers/calendar/provider.ts';
import { ProviderRefused } from '../providers/errors.ts';
import { accessToken, type TokenDeps } from './access-token.ts';
import type { ConnectionAccount } from './account.ts';

const maxPages = 20;

type Deps = TokenDeps & { calendar: Pick<Calendar, 'listCalendars'>; turn(): Promise<void> };

/** Each page in a turn of the account's pace. A refused access token is renewed once. Throws what the provider throws. */
export async function calendarsOf(
  own: Own,
  account: ConnectionAccount,
  { calendar, turn, ...deps }: Deps,
): Promise<CalendarHead[]> {
  let token = await accessToken(own, account, deps);
  let isRenewed = false;
  const page = async (from: string | undefined) => {
    await turn();
    try {
      return await calendar.listCalendars(token, from);
    } catch (error) {
      if (isRenewed || !(error instanceof ProviderRefused && error.stopsChannel === 'auth_error')) throw error;
      token = await accessToken(own, account, deps, token);
      isRenewed = true;
      await turn();
      return calendar.listCalendars(token, from);
    }
  };
  const all: CalendarHead[] = [];
  let next: string | undefined;
  for (let read = 0; read < maxPages; read += 1) {
    const { calendars, next: after } = await page(next);
    all.push(...calendars);
    if (after === undefined) break;
    next = after;
  }
  return all;
}
