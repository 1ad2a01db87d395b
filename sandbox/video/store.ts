import { randomBytes, randomInt, randomUUID } from 'node:crypto';

export interface Meeting {
  id: number;
  uuid: string;
  account: string;
  topic: string;
  type: number;
  start_time: string;
  duration: number;
  timezone: string;
  agenda: string;
  created_at: string;
  password: string;
}

export type MeetingFields = Pick<Meeting, 'topic' | 'start_time' | 'duration' | 'timezone' | 'agenda'>;

/** Meetings of all accounts of the video service. One that was deleted is gone. */
export class Meetings {
  readonly #all = new Map<number, Meeting>();
  made = 0;

  add(account: string, fields: MeetingFields): Meeting {
    this.made += 1;
    const meeting = {
      ...fields,
      id: randomInt(80_000_000_000, 89_999_999_999),
      uuid: `${randomBytes(16).toString('base64')}`,
      account,
      type: 2,
      created_at: new Date().toISOString(),
      password: randomUUID().slice(0, 6),
    };
    this.#all.set(meeting.id, meeting);
    return meeting;
  }

  get(account: string, id: number): Meeting | undefined {
    const meeting = this.#all.get(id);
    return meeting?.account === account ? meeting : undefined;
  }

  delete(id: number): boolean {
    return this.#all.delete(id);
  }

  all(): Meeting[] {
    return [...this.#all.values()];
  }
}
