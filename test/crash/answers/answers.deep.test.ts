import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { bookingDocument, type FlowMade, flowAtProvider } from '../../support/factories/flow-at-provider.ts';
import { flowMessage } from '../../support/sent-flows.ts';
import { randomFrom, seed } from '../options.ts';
import { account, type BackendName, limitMs, phonesFrom, type Stack, startStack } from '../stack.ts';
import { answersSizes } from './options.ts';
import { type Answer, idOf, playPhones } from './phones.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { answers, conversations, kills, maxPauseMs } = answersSizes;
const words = { mon: 'Monday', tue: 'Tuesday' };

async function sendSurely(channelId: string, phone: string, flow: FlowMade): Promise<void> {
  const key = randomUUID();
  const body = { channel_id: channelId, to: `+${phone}`, ...flowMessage({ flow_id: flow.id, flow_token: `${phone} ${key}` }) };
  for (const until = Date.now() + 180_000; Date.now() < until; await sleep(100)) {
    const reply = await stack.call('POST', '/v1/messages', body, { 'idempotency-key': key }).catch(() => undefined);
    if (reply?.status === 201) return;
    if (reply && reply.status < 500 && reply.status !== 409) throw new Error(`refused: ${JSON.stringify(reply.body)}`);
  }
  throw new Error('No answer within three minutes');
}

async function sendAll(channelId: string, phones: string[], flows: FlowMade[]) {
  const clients = Array.from({ length: 10 }, async (_, client) => {
    for (let number = client; number < answers; number += 10)
      await sendSurely(channelId, phones[number % phones.length]!, flows[number % flows.length]!);
  });
  await Promise.all(clients);
}

async function killWorkers(random: () => number, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (count < kills && !isOver()) {
    await sleep(200 + random() * maxPauseMs);
    await (random() < 0.5 ? stack.killWorkers() : stack.killWorker(Math.floor(random() * 100)));
    count += 1;
  }
  return count;
}

/**
 * A message whose worker died at both of its sends fails with an unknown outcome. One that no phone has got is sent again by its client, as
 * docs/operations.md says: without it there would be no answer to it.
 */
async function resendUnknown(arrived: (messageId: string) => boolean, isOver: () => boolean): Promise<number> {
  const asked = new Set<string>();
  for (; !isOver(); await sleep(1_000)) {
    const rows = await query<{ id: string }>(stack.database.em(), unknown);
    for (const { id } of rows) {
      if (arrived(id)) continue;
      const reply = await stack.call('POST', `/v1/messages/${id}/retry`, { force: true }).catch(() => undefined);
      if (reply && reply.status < 300) asked.add(id);
    }
  }
  return asked.size;
}
const unknown = `
  select id
    from messages
   where status = 'failed' and failure->>'code' = 'outcome_unknown'`;

const standstillMs = 90_000;
const openWork = `
  select (select count(*)::int from provider_webhooks where state = 'received')
       + (select count(*)::int from messages where status in ('queued', 'sending'))
       + (select count(*)::int from jobs where name = 'provider-webhooks.match-answer')
       + (select count(*)::int from webhook_deliveries where state = 'pending') as open`;

async function untilDone() {
  let least = Number.POSITIVE_INFINITY;
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(300)) {
    const [row] = await query<{ open: number }>(stack.database.em(), openWork);
    if (row!.open === 0) return;
    if (row!.open < least) [least, movedAt] = [row!.open, Date.now()];
  }
  throw new Error(`Not done: ${least}\n${stack.workerOutput().slice(-3_000)}`);
}

type Stored = {
  provider_message_id: string;
  flow_id: string | null;
  sent_flow: string;
  sent_message_id: string | null;
  client_token: string | null;
  phone: string;
  resends: number;
  answers: { label: string; text: string }[];
  is_malformed: boolean;
  response: unknown;
  events: number;
  event_flow: string | null;
  response_id: string;
};
const stored = `
  with told as (
    select e.data->>'response_id' as response_id, count(*)::int as events, min(e.data->>'flow_id') as flow_id
      from events e
     where e.type = 'flow.response_received'
     group by 1)
  select i.provider_message_id, r.id as response_id, r.flow_id, s.flow_id as sent_flow, r.sent_message_id, r.client_token, r.answers,
         r.is_malformed, r.response, o.resends, regexp_replace(i.from_phone, '\\D', '', 'g') as phone,
         coalesce(t.events, 0) as events, t.flow_id as event_flow
    from flow_responses r
    left join told t on t.response_id = r.id::text
    join messages i on i.id = r.message_id
    join messages o on o.id::text = substr(i.provider_message_id, 14)
    join flow_sends s on s.message_id = o.id
   where r.contact_id = i.contact_id and i.contact_id = o.contact_id`;

/** A message that was sent twice has two ids at the provider, and Kanal may know the other one. */
const mayBeUnknown = ({ resends }: Stored, { hasToken }: Answer) => resends > 0 && !hasToken;

const isRight = (row: Stored, answer: Answer) =>
  row.events === 1 &&
  row.event_flow === row.flow_id &&
  row.is_malformed === (answer.text !== undefined) &&
  (answer.text === undefined || row.response === answer.text) &&
  (mayBeUnknown(row, answer) ||
    (row.flow_id === row.sent_flow &&
      row.sent_message_id === answer.messageId &&
      row.client_token?.startsWith(answer.phone) === true &&
      (answer.text !== undefined || row.answers.some(({ text }) => text === words[answer.day]))));

test.each<BackendName>(['postgres', 'redis'])(
  'each answer to a flow is there once, with its flow, contact and labels, and was told once, while workers are killed: %s',
  async (backend) => {
    process.stdout.write(`answers, ${backend}: seed ${seed}\n`);
    stack = await startStack({ backend, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const channelId = await stack.connect();
    await stack.listen();
    const phones = phonesFrom(conversations);
    await stack.openWindows(phones);
    await stack.control('POST', '/behaviour', { auto_status: [] });
    const flows: FlowMade[] = [];
    for (const id of ['31', '32']) {
      const given = { accountId: account.waba_id, providerFlowId: id };
      const flow = await flowAtProvider(stack.database.em(), stack.organizationId, channelId, given);
      const at = { waba_id: account.waba_id, id, name: flow.name, status: 'PUBLISHED', flow_json: bookingDocument };
      await stack.control('POST', '/flows', at);
      flows.push(flow);
    }
    let isOver = false;
    const phonesGot = new Map<string, Answer>();
    const playing = playPhones(stack, randomFrom(seed), answers, phonesGot)
      .then(async (told) => {
        await untilDone();
        return told;
      })
      .finally(() => {
        isOver = true;
      });
    const [, told, killed, resent] = await Promise.all([
      sendAll(channelId, phones, flows),
      playing,
      killWorkers(randomFrom(seed - 1), () => isOver),
      resendUnknown(
        (id) => phonesGot.has(id),
        () => isOver,
      ),
    ]);
    const rows = await query<Stored>(stack.database.em(), stored);
    expect(new Set(rows.map((row) => row.provider_message_id))).toEqual(new Set([...told.answers.keys()].map(idOf)));
    expect(rows.length).toBe(answers);
    const byMessage = new Map(rows.map((row) => [row.provider_message_id, row]));
    const wrong = [...told.answers.values()]
      .map((answer) => ({ answer, row: byMessage.get(idOf(answer.messageId))! }))
      .filter(({ answer, row }) => !isRight(row, answer));
    expect({ wrong: wrong.slice(0, 3), total: wrong.length }).toEqual({ wrong: [], total: 0 });
    const delivered = stack.receiver.received
      .map(({ id, body }) => ({ id, event: JSON.parse(body) as { type: string; data: { response_id: string } } }))
      .filter(({ event }) => event.type === 'flow.response_received');
    const ids = Map.groupBy(delivered, ({ event }) => event.data.response_id);
    expect(new Set(ids.keys())).toEqual(new Set(rows.map((row) => row.response_id)));
    for (const all of ids.values()) expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(stack.receiver.faults).toEqual([]);
    const unknown = rows.filter((row) => row.flow_id === null).length;
    process.stdout.write(
      `answers, ${backend}: ${answers} over ${conversations} conversations, ${killed} kills, ${told.repeats} repeated parts, ${resent} sent again by hand, ${unknown} to a send whose id is not known\n`,
    );
    expect(killed).toBeGreaterThan(0);
    expect(told.repeats).toBeGreaterThan(0);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  Math.max(limitMs, answers * 300),
);
