import { expect, test } from '@jest/globals';
import { zoomVideo } from '../../../src/providers/video/zoom.ts';

const meeting = { id: 81, agenda: 'kanal:a booking', join_url: 'https://zoom.example/j/81' };

test('a meeting is looked for on one page at a time, each a call of its own', async () => {
  const asked: unknown[] = [];
  const call = async (request: { search?: Record<string, string> }) => {
    asked.push(request.search);
    return request.search?.next_page_token === 'two' ? { meetings: [meeting] } : { meetings: [], next_page_token: 'two' };
  };
  const { findMeeting } = zoomVideo({ call } as never);
  expect(await findMeeting('token', 'kanal:a', '')).toEqual({ meeting: undefined, next: 'two' });
  expect(await findMeeting('token', 'kanal:a', 'two')).toEqual({
    meeting: { id: '81', joinUrl: 'https://zoom.example/j/81' },
    next: '',
  });
  expect(asked).toEqual([
    { type: 'scheduled', page_size: '300' },
    { type: 'scheduled', page_size: '300', next_page_token: 'two' },
  ]);
});
