import {
  type Copied,
  calendarToCopy,
  horizonOf,
  replaceBusy,
  shownBookings,
  withoutOwn,
} from '../../src/commerce/bookings/busy.ts';
import { copyBusyJob } from '../../src/commerce/bookings/jobs.ts';
import type { Span } from '../../src/commerce/bookings/slots.ts';
import { ProviderFailed, ProviderRefused } from '../../src/providers/errors.ts';
import { type AtConnection, withConnection } from '../connections/with-connection.ts';
import { handleCalls, type Outcome, type RunContext } from '../handler.ts';

/** Of one call: the calendar refuses a window that is much longer. */
const longestCallMs = 60 * 86_400_000;

type Context = RunContext<unknown>;

/** Reads only, so it may run twice. Times of a calendar that cannot be read stay as they are: better too busy than booked twice. */
export const copyBusy = handleCalls(copyBusyJob, async ({ staff_id: staffId }, context) => {
  const member = await calendarToCopy(context.own, staffId);
  if (!member) return context.finish();
  return withConnection(context, member.calendar_connection_id, {
    gone: () => endWithout(context, member, 'gone', 'the connection was deleted'),
    work: (at) => copy(context, at, member),
  });
});

async function copy(context: Context, at: AtConnection, member: Copied): Promise<Outcome> {
  const { own, transact } = context;
  const window = await horizonOf(own, member.id);
  // Before and after: an entry may come or go while the calendar is read, and its answer does not name entries.
  const before = await shownBookings(own, member.id, window);
  let busy: Span[];
  try {
    busy = await readBusy(context, at, member, window);
  } catch (error) {
    if (!(error instanceof ProviderRefused) || error.stopsChannel) throw error;
    return endWithout(context, member, 'refused', error.providerCode ?? 'refused');
  }
  const isWritten = await transact({}, async (tx) => {
    const after = await shownBookings(tx.own, member.id, window);
    return replaceBusy(tx.own, member, withoutOwn(busy, [...before, ...after]));
  });
  if (!isWritten) return context.wait(0, { reason: 'the calendar of the staff member was changed' });
  context.connectionMetrics.busyCopy('copied');
  context.facts.busy = busy.length;
  return context.finish();
}

async function readBusy({ providers }: Context, { call }: AtConnection, { calendar_id }: Copied, window: Span): Promise<Span[]> {
  const busy: Span[] = [];
  for (let start = window.start; start < window.end; start += longestCallMs) {
    const between = {
      from: new Date(start).toISOString(),
      to: new Date(Math.min(start + longestCallMs, window.end)).toISOString(),
    };
    for (const { from, to } of await call((token) => providers.calendar.listBusy(token, calendar_id, between))) {
      const span = { start: Date.parse(from), end: Date.parse(to) };
      if (Number.isNaN(span.start) || Number.isNaN(span.end))
        throw new ProviderFailed('The calendar told a busy time that is none');
      busy.push(span);
    }
  }
  return busy;
}

/** The next copy by time looks again. */
function endWithout(context: Context, { id }: Copied, outcome: 'refused' | 'gone', reason: string): Promise<Outcome> {
  context.log.warn(
    { staff_id: id, organization_id: context.own.organizationId, reason },
    'busy times of a calendar were not copied',
  );
  context.connectionMetrics.busyCopy(outcome);
  context.facts.busy = outcome;
  return context.finish();
}
