import { ProviderUnknown } from '../errors.ts';
import type { JsonClient } from '../json/client.ts';
import { object, textOf } from '../messaging-app/json.ts';
import type { Meeting, MeetingContent, Video } from './provider.ts';

const scheduled = 2;
const pageSize = '300';

export function zoomVideo({ call }: JsonClient): Video {
  const meetingAt = (id: string) => `meetings/${encodeURIComponent(id)}`;
  return {
    async createMeeting(token, content) {
      const reply = await call({ method: 'POST', path: 'users/me/meetings', token, json: bodyOf(content) });
      const meeting = meetingOf(reply);
      if (!meeting) throw new ProviderUnknown('The answer of the video service is no meeting');
      return meeting;
    },
    async patchMeeting(token, id, content) {
      await call({ method: 'PATCH', path: meetingAt(id), token, json: bodyOf(content) });
    },
    async deleteMeeting(token, id) {
      await call({ method: 'DELETE', path: meetingAt(id), token });
    },
    async findMeeting(token, mark, page) {
      const search: Record<string, string> = { type: 'scheduled', page_size: pageSize, ...(page && { next_page_token: page }) };
      const { meetings, next_page_token } = object(await call({ method: 'GET', path: 'users/me/meetings', token, search }));
      const ours = (Array.isArray(meetings) ? meetings : []).find((one) => isMarked(object(one).agenda, mark));
      return { meeting: ours && meetingOf(ours), next: textOf(next_page_token) };
    },
    async verify(_credentials, token = '') {
      const { email, id } = object(await call({ method: 'GET', path: 'users/me', token }));
      return { account: textOf(email) || textOf(id) };
    },
  };
}

const isMarked = (agenda: unknown, mark: string) => textOf(agenda).split(/\s+/).includes(mark);

const bodyOf = ({ topic, startsAt, durationMinutes, timezone, mark }: MeetingContent) => ({
  topic,
  type: scheduled,
  // Without fractions of a second, as the service documents it.
  start_time: startsAt.replace(/\.\d+/, ''),
  duration: durationMinutes,
  timezone,
  agenda: mark,
});

function meetingOf(reply: unknown): Meeting | undefined {
  const { id, join_url } = object(reply);
  const joinUrl = textOf(join_url);
  if (textOf(id) === '' || !/^https:\/\//i.test(joinUrl) || !URL.canParse(joinUrl)) return undefined;
  return { id: textOf(id), joinUrl };
}
