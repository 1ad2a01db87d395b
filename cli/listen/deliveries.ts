import { sign } from '../../src/webhooks/signature.ts';
import type { Api } from './api.ts';
import { type Registered, replay } from './endpoint.ts';
import { forward } from './forward.ts';
import type { Answer, Arrival } from './receiver.ts';
import type { Told } from './report.ts';
import { type Envelope, verified } from './verify.ts';

export type Deliveries = {
  handle(arrival: Arrival): Promise<Answer>;
  replayLast(): Promise<void>;
  /** Resolves when the first test event of this endpoint has come: it is this command's own. */
  tested: Promise<void>;
  /** From now on a test is somebody else's, and shown. */
  showTests(): void;
  counts: { events: number; unverified: number };
};

type Options = {
  api: Api;
  /** A delivery may come before the reply that has its secret. */
  registered: Promise<Registered>;
  forwardTo?: URL;
  timeoutMs: number;
  tell(told: Told): void;
  say(line: string): void;
};

/** Of ids that have come, to say which come again. */
const maxKnown = 10_000;

export function createDeliveries({ api, registered, forwardTo, timeoutMs, tell, say }: Options): Deliveries {
  const known = new Set<string>();
  const counts = { events: 0, unverified: 0 };
  const tested = Promise.withResolvers<void>();
  let isTested = false;
  let last: { arrival: Arrival; event: Envelope } | undefined;

  async function answered(arrival: Arrival) {
    if (!forwardTo) return { answer: { status: 204 } };
    return forward(forwardTo, arrival, timeoutMs);
  }

  function isOwnTest({ type, data }: Envelope, endpointId: string): boolean {
    if (isTested || type !== 'webhook.test' || data.endpoint_id !== endpointId) return false;
    isTested = true;
    tested.resolve();
    return true;
  }

  function noteOf(id: string): 'again' | undefined {
    if (known.has(id)) return 'again';
    known.add(id);
    if (known.size > maxKnown) known.delete(known.values().next().value!);
    return undefined;
  }

  return {
    tested: tested.promise,
    showTests() {
      isTested = true;
    },
    counts,
    async handle(arrival) {
      const { id, secret } = await registered;
      const startedAt = performance.now();
      const took = () => performance.now() - startedAt;
      const { event, fault } = verified(secret, arrival);
      if (!event) {
        // Not passed on: anybody may have sent it.
        const answer = { status: 401, body: `kanal webhooks listen: not verified, ${fault}\n` };
        counts.unverified += 1;
        tell({ arrival, fault, answer, tookMs: took() });
        return answer;
      }
      if (isOwnTest(event, id)) return { status: 204 };
      const note = noteOf(event.id);
      const { answer, fault: forwardFault } = await answered(arrival);
      last = { arrival, event };
      counts.events += 1;
      tell({ arrival, event, answer, forwardFault, tookMs: took(), note });
      if (answer.status === 410) say('410 disables the endpoint: Kanal holds its deliveries from now on');
      return answer;
    },
    async replayLast() {
      if (!last) return say('Nothing has come yet');
      const { id, secret } = await registered;
      const { arrival, event } = last;
      if (!forwardTo) {
        await replay(api, id, event.id);
        return say(`Kanal sends ${event.id} again`);
      }
      // Signed anew: a receiver refuses an old time.
      const again = { ...arrival, at: new Date(), headers: { ...arrival.headers, ...signedNow(event.id, arrival.body, secret) } };
      const startedAt = performance.now();
      const { answer, fault: forwardFault } = await answered(again);
      tell({ arrival: again, event, answer, forwardFault, tookMs: performance.now() - startedAt, note: 'replay' });
    },
  };
}

function signedNow(id: string, body: Buffer, secret: string): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return { 'webhook-timestamp': String(timestamp), 'webhook-signature': sign({ id, timestamp, body, secrets: [secret] }) };
}
