import type { Verify } from '../connections.ts';

export type MeetingContent = {
  topic: string;
  /** An instant in ISO 8601. */
  startsAt: string;
  durationMinutes: number;
  timezone: string;
  /** The service has no keys against doubles: a meeting whose creation had no answer is found by this. */
  mark: string;
};

/** The address for guests alone: that of the host lets anybody in as the host. */
export type Meeting = { id: string; joinUrl: string };

/** All throw a ProviderError; a refusal is a VideoRefused. `token`: an access token of the account. */
export type Video = {
  createMeeting(token: string, content: MeetingContent): Promise<Meeting>;
  patchMeeting(token: string, id: string, content: MeetingContent): Promise<void>;
  deleteMeeting(token: string, id: string): Promise<void>;
  /** On one page of the meetings to come, `''` the first. `next`: the page to look at then; empty: there is none. */
  findMeeting(token: string, mark: string, page: string): Promise<{ meeting?: Meeting; next: string }>;
  verify: Verify;
};
