import type { DemoFile } from '../start/demo-file.ts';
import { ask, type LocalAnswer } from '../start/local-http.ts';
import type { Receiver } from './receiver.ts';
import type { Timeline } from './timeline.ts';

/** What every chapter plays on. */
export type Stage = { installation: DemoFile; receiver: Receiver; timeline: Timeline; signal: AbortSignal };

/** `received`: messages of the contact. `rest`: what else came of it. */
export type Played = { sent: string[]; received: number; rest: { what: string; outcome: string; note: string } };
/** A scene, a chapter at a time. `onEndpoint` hears of the endpoint as soon as there is one to clean up. */
export type Play = (stage: Stage, onEndpoint: (id: string) => void) => Promise<Played>;

/** Something that should have come and did not: the message says what. */
export class Missing extends Error {}

export const chapterOn =
  ({ timeline }: Stage) =>
  async <Result>(title: string, work: () => Promise<Result>): Promise<Result> => {
    timeline.chapter(title);
    try {
      return await work();
    } finally {
      timeline.show();
    }
  };

type Call = { method?: string; body?: object; headers?: Record<string, string>; note?: string };
type Told<Body> = (answer: LocalAnswer<Body>) => { what: string; note?: string; isGood?: boolean };

/** One request to the API as a step, its answer as the next. Any other status than `expected` ends the demo. */
export async function request<Body>(
  { installation, timeline, signal }: Stage,
  path: string,
  expected: number,
  { method = 'GET', body, headers, note }: Call,
  told: Told<Body>,
): Promise<Body> {
  timeline.add({ at: Date.now(), from: 'your app', to: 'Kanal', what: `${method} ${shown(path)}`, note });
  const answer = await ask<Body>(`${installation.base_url}${path}`, { method, key: installation.api_key, body, headers, signal });
  if (!answer) throw new Missing('An answer of the API: nobody listens any more');
  if (answer.status !== expected)
    throw new Missing(`${expected} to ${method} ${path}: the answer was ${answer.status} ${JSON.stringify(answer.body)}`);
  timeline.add({ at: Date.now(), from: 'Kanal', to: 'your app', ...told(answer) });
  return answer.body;
}

export const shortId = (id: string) => `…${id.slice(-6)}`;
const shown = (path: string) => path.replace(/[0-9a-f-]{36}/, shortId);
