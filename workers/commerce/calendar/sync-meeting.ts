import { meetingContent } from '../../../src/commerce/calendar/content.ts';
import { meetingMark } from '../../../src/commerce/calendar/event-id.ts';
import { type CalendarValues, recordSteps } from '../../../src/commerce/calendar/record.ts';
import type { Wished } from '../../../src/commerce/calendar/wished.ts';
import { now } from '../../../src/platform/database/columns.ts';
import { VideoRefused } from '../../../src/providers/video/error-codes.ts';
import type { Meeting } from '../../../src/providers/video/provider.ts';
import type { RunContext } from '../../handler.ts';
import { type Call, reach } from './reach.ts';

type Context = RunContext<unknown>;

const noMeeting = { video_connection_id: null, video_meeting_id: null, video_url: '', video_asked_at: null };
const isGone = (error: unknown) => error instanceof VideoRefused && error.reason === 'missing';

/** The meeting of the booking, as it is wished: made, moved or ended. */
export async function syncMeeting(context: Context, given: Wished): Promise<Wished> {
  let wished = given;
  const isElsewhere = wished.video_connection_id !== null && wished.video_connection_id !== wished.staff_video;
  if (wished.video_connection_id !== null && (isElsewhere || !wished.makesMeeting)) wished = await endMeeting(context, wished);
  if (!wished.makesMeeting) return wished;
  const call = await reach(context, wished.staff_video!);
  if (!call) return wished;
  if (wished.video_meeting_id === null && wished.video_asked_at !== null) wished = await adopt(context, call, wished);
  if (wished.video_meeting_id === null) return makeMeeting(context, call, wished);
  const { video_meeting_id: id } = wished;
  try {
    await call((token) => context.providers.video.patchMeeting(token, id, meetingContent(wished)));
    return wished;
  } catch (error) {
    if (!isGone(error)) throw error;
    return makeMeeting(context, call, wished);
  }
}

const record = async ({ transact }: Context, wished: Wished, values: CalendarValues): Promise<void> => {
  await transact({}, ({ own }) => recordSteps(own, wished, values));
};

/** The claim is committed before the call: after an answer that is lost the meeting is looked for. */
async function makeMeeting(context: Context, call: Call, wished: Wished): Promise<Wished> {
  const claim = { ...noMeeting, video_connection_id: wished.staff_video, video_asked_at: now() };
  await record(context, wished, claim);
  const meeting = await call((token) => context.providers.video.createMeeting(token, meetingContent(wished)));
  return taken(context, { ...wished, video_connection_id: wished.staff_video }, meeting);
}

async function adopt(context: Context, call: Call, wished: Wished): Promise<Wished> {
  const meeting = await findMeeting(context, call, wished);
  return meeting ? taken(context, wished, meeting) : wished;
}

/** 30,000 meetings that are still to come. */
const maxPages = 100;

/** Each page is a call with a turn of its own. */
async function findMeeting({ providers }: Context, call: Call, { booking_id }: Wished): Promise<Meeting | undefined> {
  let page = '';
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { meeting, next } = await call((token) => providers.video.findMeeting(token, meetingMark(booking_id), page));
    if (meeting || next === '') return meeting;
    page = next;
  }
  return undefined;
}

async function taken(context: Context, wished: Wished, { id, joinUrl }: Meeting): Promise<Wished> {
  const values = { video_meeting_id: id, video_url: joinUrl };
  await record(context, wished, values);
  return { ...wished, ...values };
}

async function endMeeting(context: Context, wished: Wished): Promise<Wished> {
  const call = await reach(context, wished.video_connection_id!);
  const id = wished.video_meeting_id ?? (call && (await findMeeting(context, call, wished))?.id);
  if (id)
    await call?.((token) => context.providers.video.deleteMeeting(token, id)).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  await record(context, wished, noMeeting);
  return { ...wished, ...noMeeting };
}
