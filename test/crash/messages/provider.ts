import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../stack.ts';
import { type Arrival, bodyOf, type Part, type Status } from './bodies.ts';

const lines = 4;
const maxParts = 20;
const repeated = 0.1;
/** A status comes this late at most: before the answer to its send, or long after others. */
const maxDelayMs = 2_000;
const ranks: Status[] = ['sent', 'delivered', 'read'];

type Given = {
  phones: string[];
  /** Of the people, to be told to us. */
  messages: number;
  randomOf(line: number): () => number;
  /** Whether we sent all that we shall send, and so many it is. */
  expected(): number | undefined;
};

export type Told = {
  /** What each of our messages must come to, by its id. */
  finals: Map<string, Status>;
  arrivals: Arrival[];
  bodies: number;
  repeats: number;
  /** Statuses that were told after a higher one of the same message. */
  overtaken: number;
};

/**
 * The provider: tells of people's messages and of statuses in bodies of any size and mixture, some of it twice and statuses in any order. A
 * person's messages come in their order: the next body that has one is sent when the one before was answered.
 */
export async function playProvider(stack: Stack, { phones, messages, randomOf, expected }: Given): Promise<Told> {
  const told: Told = { finals: new Map(), arrivals: [], bodies: 0, repeats: 0, overtaken: 0 };
  const statuses: (Part & { kind: 'status' })[] = [];
  const repeats: Part[] = [];
  let isWatching = true;

  async function watch() {
    const random = randomOf(lines);
    const plans = new Map<string, Status[]>();
    while (new Set(told.arrivals.map((one) => one.callback_data)).size < (expected() ?? Number.POSITIVE_INFINITY)) {
      await sleep(500);
      const { messages: more } = await stack.control<{ messages: Arrival[] }>('GET', `/messages?after=${told.arrivals.length}`);
      for (const arrival of more) {
        const plan = plans.get(arrival.callback_data) ?? planOf(random);
        plans.set(arrival.callback_data, plan);
        told.finals.set(arrival.callback_data, ranks[Math.max(...plan.map((status) => ranks.indexOf(status)))]!);
        for (const status of plan) statuses.push({ kind: 'status', status, arrival, dueAt: Date.now() + random() * maxDelayMs });
      }
      told.arrivals.push(...more);
    }
    isWatching = false;
  }

  const highest = new Map<string, number>();
  function nextStatus(random: () => number): Part | undefined {
    const index = Math.floor(random() * statuses.length);
    if (statuses.length === 0 || statuses[index]!.dueAt > Date.now()) return undefined;
    return statuses.splice(index, 1)[0];
  }

  async function line(number: number) {
    const random = randomOf(number);
    const own = phones.filter((_, index) => index % lines === number);
    const left = new Map(own.map((phone) => [phone, [] as number[]]));
    for (let index = 0; index < messages; index += 1) {
      const phone = phones[index % phones.length]!;
      left.get(phone)?.push(Math.floor(index / phones.length) + 1);
    }
    const nextMessage = (): Part | undefined => {
      const [phone] = [...left.keys()].slice(Math.floor(random() * left.size));
      if (phone === undefined) return undefined;
      const numbers = left.get(phone)!;
      const part: Part = { kind: 'message', phone, number: numbers.shift()! };
      if (numbers.length === 0) left.delete(phone);
      return part;
    };
    for (;;) {
      const parts: Part[] = [];
      const soon: Part[] = [];
      for (let wanted = 1 + Math.floor(random() * maxParts); wanted > 0; wanted -= 1) {
        const chance = random();
        const again = chance < repeated ? repeats.shift() : undefined;
        const part = again ?? (chance < 0.5 ? nextMessage() : nextStatus(random)) ?? nextMessage() ?? nextStatus(random);
        if (part) parts.push(part);
        if (part && !again && random() < repeated) soon.push(part);
      }
      if (parts.length === 0 && left.size === 0) {
        const last = repeats.splice(0, maxParts);
        if (last.length > 0) parts.push(...last);
        else if (!isWatching && statuses.length === 0) return;
      }
      if (parts.length === 0) await sleep(50);
      else await tell(parts, bodyOf(parts, random));
      repeats.push(...soon);
    }
  }

  const tellOnce = new Set<string>();
  async function tell(parts: Part[], body: string) {
    const signature = createHmac('sha256', stack.settings.MESSAGING_APP_SECRET!).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    for (const until = Date.now() + 180_000; ; await sleep(100)) {
      const url = `${stack.base}/v1/providers/messaging-app/webhook`;
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) }).catch(
        () => undefined,
      );
      await answer?.arrayBuffer();
      if (answer?.status === 200) break;
      if (Date.now() > until) throw new Error(`A provider's body was answered ${answer?.status}`);
    }
    told.bodies += 1;
    for (const part of parts) note(part);
  }

  function note(part: Part) {
    const key = part.kind === 'message' ? `${part.phone} ${part.number}` : `${part.arrival.id} ${part.status}`;
    if (tellOnce.has(key)) told.repeats += 1;
    tellOnce.add(key);
    if (part.kind === 'message') return;
    const rank = ranks.indexOf(part.status);
    const before = highest.get(part.arrival.id) ?? -1;
    if (rank < before) told.overtaken += 1;
    highest.set(part.arrival.id, Math.max(rank, before));
  }

  await Promise.all([watch(), ...Array.from({ length: lines }, (_, number) => line(number))]);
  return told;
}

/** The statuses of one message: some end before they are read, and one on the way may be left out. */
function planOf(random: () => number): Status[] {
  const last = Math.floor(random() * ranks.length);
  const isLeftOut = random() < 0.2;
  return ranks.slice(0, last + 1).filter((_, rank) => rank === last || !(isLeftOut && rank === last - 1));
}
