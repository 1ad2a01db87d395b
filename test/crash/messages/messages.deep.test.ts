import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { messageRows } from '../../support/work/messages.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, phonesFrom, type Stack, startStack } from '../stack.ts';
import { textOf } from './bodies.ts';
import { historyOf, type Talk } from './history.ts';
import { messagesSizes } from './options.ts';
import { playProvider, type Told } from './provider.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { messages, conversations, kills, maxPauseMs } = messagesSizes;
const numbers = Array.from({ length: Math.ceil(messages / conversations) }, (_, index) => index + 1);
/** Of the conversation at this place, each way. */
const countAt = (place: number) => numbers.filter((number) => (number - 1) * conversations + place < messages).length;

/** One client a conversation, so that the order asked for is known; by phone the ids in this order. */
async function sendToAll(channelId: string, phones: string[], parallel = 10): Promise<Map<string, string[]>> {
  const sent = new Map<string, string[]>(phones.map((phone) => [phone, []]));
  const clients = Array.from({ length: parallel }, async (_, client) => {
    for (const number of numbers)
      for (const [place, phone] of phones.entries())
        if (place % parallel === client && number <= countAt(place))
          sent.get(phone)!.push(await stack.sendSurely(channelId, phone, textOf('out', number)));
  });
  await Promise.all(clients);
  return sent;
}

/** One worker or all of them, at random moments, as long as there is work. */
async function killWorkers(random: () => number, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (count < kills && !isOver()) {
    await sleep(200 + random() * maxPauseMs);
    if (isOver()) break;
    await (random() < 0.5 ? stack.killWorkers() : stack.killWorker(Math.floor(random() * 100)));
    count += 1;
  }
  return count;
}

/** So long nothing may stand still. */
const standstillMs = 60_000;
const openWork = `
  select (select count(*)::int from messages where status in ('queued', 'sending')) as messages,
         (select count(*)::int from provider_webhooks where state = 'received') as bodies,
         (select count(*)::int from unmatched_statuses where state = 'waiting') as statuses`;

async function untilApplied() {
  let least = Number.POSITIVE_INFINITY;
  let open: { messages: number; bodies: number; statuses: number } | undefined;
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(300)) {
    [open] = await query<NonNullable<typeof open>>(stack.database.em(), openWork);
    const left = open!.messages + open!.bodies + open!.statuses;
    if (left === 0) return;
    if (left < least) [least, movedAt] = [left, Date.now()];
  }
  throw new Error(`Not applied: ${JSON.stringify(open)}\n${stack.workerOutput().slice(-3_000)}`);
}

const said = (talk: Talk, direction: string) =>
  talk.messages.filter((message) => message.direction === direction).map(({ content }) => content.body);
const textsOf = (way: 'in' | 'out', place: number) => numbers.slice(0, countAt(place)).map((number) => textOf(way, number));

/** What a client sees is what was sent and told: all of it, once, in order, with its last status. */
function expectHistory(talks: Talk[], phones: string[], sent: Map<string, string[]>, { finals }: Told) {
  expect(talks.length).toBe(phones.length);
  const byMessage = new Map(talks.flatMap((talk) => talk.messages.map(({ id }): [string, Talk] => [id, talk])));
  const wrong: unknown[] = [];
  for (const [place, phone] of phones.entries()) {
    const talk = byMessage.get(sent.get(phone)![0]!)!;
    const seen = { in: said(talk, 'inbound'), out: said(talk, 'outbound'), unread: talk.unread };
    const wanted = { in: ['hi', ...textsOf('in', place)], out: textsOf('out', place), unread: countAt(place) + 1 };
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) wrong.push({ phone, seen, wanted });
    for (const { id, direction, status } of talk.messages)
      if (direction === 'outbound' && status !== finals.get(id)) wrong.push({ id, status, final: finals.get(id) });
  }
  expect({ wrong: wrong.slice(0, 3), total: wrong.length }).toEqual({ wrong: [], total: 0 });
}

/** At the provider each message arrived once and in order; a second time only where its first answer was lost. Tells how many did. */
async function expectArrivals(sent: Map<string, string[]>, { arrivals }: Told): Promise<number> {
  const rows = await messageRows.all(stack.database, { direction: 'outbound' }, ['id', 'resends']);
  const resent = new Set(rows.filter(({ resends }) => resends > 0).map(({ id }) => id));
  const times = Map.groupBy(arrivals, ({ callback_data }) => callback_data);
  const tooOften = [...times].filter(([id, all]) => all.length > (resent.has(id) ? 2 : 1)).map(([id]) => id);
  expect(tooOften).toEqual([]);
  const byPhone = Map.groupBy(arrivals, ({ to }) => to);
  for (const [phone, ids] of sent) expect([...new Set(byPhone.get(phone)!.map((one) => one.callback_data))]).toEqual(ids);
  return arrivals.length - times.size;
}

const brokenBodies = `
  select errors->0->>'error' as error, count(*)::int as bodies
    from provider_webhooks
   where state = 'broken'
   group by 1
   limit 5`;
const repeatedEvents = `
  select type, data->>'message_id' as message_id, data->>'status' as status, count(*)::int as times
    from events
   where type in ('message.new', 'message.sent', 'message.status_update')
   group by 1, 2, 3
  having count(*) > 1
   limit 5`;

test.each<BackendName>(['postgres', 'redis'])(
  'messages both ways are all there, once and in order, with the right last status, while workers are killed: %s',
  async (backend) => {
    process.stdout.write(`messages, ${backend}: seed ${seed}\n`);
    stack = await startStack({ backend, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const channelId = await stack.connect();
    const phones = phonesFrom(conversations);
    await stack.openWindows(phones);
    // The statuses are told by the test.
    await stack.control('POST', '/behaviour', { auto_status: [] });

    const startedAt = performance.now();
    let expected: number | undefined;
    let isOver = false;
    const sending = sendToAll(channelId, phones).then((sent) => {
      expected = messages;
      return sent;
    });
    const playing = playProvider(stack, {
      phones,
      messages,
      randomOf: (line) => randomFrom(seed + line),
      expected: () => expected,
    })
      .then(async (told) => {
        await untilApplied();
        return told;
      })
      .finally(() => {
        isOver = true;
      });
    const [sent, told, killed] = await Promise.all([sending, playing, killWorkers(randomFrom(seed - 1), () => isOver)]);
    const seconds = (performance.now() - startedAt) / 1_000;

    expect(await query(stack.database.em(), brokenBodies)).toEqual([]);
    expectHistory(await historyOf(stack), phones, sent, told);
    const duplicates = await expectArrivals(sent, told);
    process.stdout.write(
      `messages, ${backend}: ${messages} out and ${messages} in over ${conversations} conversations in ${seconds.toFixed(0)} s, ${killed} kills, ${told.bodies} bodies, ${told.repeats} repeated parts, ${told.overtaken} statuses after a higher one, ${duplicates} sent twice as their answer was lost\n`,
    );
    expect(told.overtaken).toBeGreaterThan(0);
    expect(told.repeats).toBeGreaterThan(0);
    expect(killed).toBeGreaterThan(0);
    expect(await query(stack.database.em(), repeatedEvents)).toEqual([]);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  // Some seven messages each way a second, at the least: a kill costs some six seconds.
  Math.max(limitMs, messages * 150),
);
