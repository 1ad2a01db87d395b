import { cut } from '../../platform/cut.ts';
import type { EventContent } from '../../providers/calendar/provider.ts';
import type { MeetingContent } from '../../providers/video/provider.ts';
import { meetingMark } from './event-id.ts';
import { isOwnLink, type Wished } from './wished.ts';

const instant = (time: string) => new Date(time).toISOString();
const titleOf = ({ service_name, customer_name }: Wished) => (customer_name ? `${service_name}: ${customer_name}` : service_name);

/** What the staff member reads. The customer is no guest of the entry: Kanal tells them, the calendar mails nobody. */
export function eventContent(wished: Wished, eventId: string, asksRoom: boolean): EventContent {
  const { booking_id, starts_at, ends_at, timezone, location, order_no, room, meet_url, video_url } = wished;
  const link = isOwnLink(wished.conference_override) ? wished.conference_override : room === 'video' ? video_url : '';
  const lines = [`Order ${order_no}`, wished.customer_name, wished.customer_phone, wished.customer_email, link];
  return {
    summary: titleOf(wished),
    description: lines.filter(Boolean).join('\n'),
    location: location || link,
    startsAt: instant(starts_at),
    endsAt: instant(ends_at),
    timezone,
    mark: booking_id,
    conference:
      room !== 'calendar'
        ? { kind: meet_url || wished.conference_asked_at ? 'none' : 'keep' }
        : asksRoom && !meet_url
          ? { kind: 'ask', requestId: eventId }
          : { kind: 'keep' },
  };
}

const longestTopic = 200;

export const meetingContent = (wished: Wished): MeetingContent => ({
  topic: cut(titleOf(wished), longestTopic),
  startsAt: instant(wished.starts_at),
  durationMinutes: Math.max(1, Math.round((Date.parse(wished.ends_at) - Date.parse(wished.starts_at)) / 60_000)),
  timezone: wished.timezone,
  mark: meetingMark(wished.booking_id),
});
