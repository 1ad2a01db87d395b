import { randomUUID } from 'node:crypto';
import { callsFor, stepOfCall } from './provider.ts';
import { Missing, request, type Stage, shortId } from './stage.ts';
import { untilNothing } from './wait.ts';
import { webhooksOf } from './webhooks.ts';

export type Message = { id: string; status: string; provider_message_id: string; content: { body?: unknown } };
export type Sent = { id: string; body: object; idempotencyKey: string };

const path = '/v1/messages';

/** Sends, and follows the message until it was read and every webhook of it has come. */
export async function send(stage: Stage, content: object, note: string): Promise<Sent> {
  const { channel, contact } = stage.installation;
  const body = { channel_id: channel.id, to: contact.phone, ...content };
  const idempotencyKey = randomUUID();
  const { data } = await post(stage, body, idempotencyKey, note);
  await providerCall(stage, data.id);
  await webhooksOf(stage, data.id, ['message.sent', 'message.status_update read']);
  await read(stage, data.id, ({ status }) => `the message is ${status}`);
  return { id: data.id, body, idempotencyKey };
}

const post = (stage: Stage, body: object, idempotencyKey: string, note: string) =>
  request<{ data: Message }>(
    stage,
    path,
    201,
    { method: 'POST', body, headers: { 'idempotency-key': idempotencyKey }, note },
    ({ status, body: { data } }) => ({ what: `${status} ${data.status}`, note: `message ${shortId(data.id)}` }),
  );

/** The same request once more: the stored reply, and nothing new for the provider (the end counts its calls). */
export async function repeat(stage: Stage, { id, body, idempotencyKey }: Sent) {
  let isReplayed = false;
  const { data } = await request<{ data: Message }>(
    stage,
    path,
    201,
    { method: 'POST', body, headers: { 'idempotency-key': idempotencyKey }, note: 'the same Idempotency-Key' },
    ({ status, headers, body: { data } }) => {
      isReplayed = headers.get('idempotent-replayed') === 'true';
      return {
        what: `${status} message ${shortId(data.id)}`,
        note: isReplayed ? '✓ Idempotent-Replayed: true' : '✗ sent again',
        isGood: isReplayed,
      };
    },
  );
  if (!isReplayed) throw new Missing('Idempotent-Replayed: true in the answer to a repeated request');
  if (data.id !== id) throw new Missing(`The message ${id} in the answer to the repeated request: it named ${data.id}`);
}

async function providerCall(stage: Stage, messageId: string) {
  await untilNothing(async () => {
    const calls = await callsFor(stage, messageId);
    if (!calls.some(({ status }) => status !== null)) return ["the provider's call"];
    stage.timeline.add(...calls.map(stepOfCall));
    return [];
  }, stage);
}

export const read = (stage: Stage, messageId: string, told: (message: Message) => string) =>
  request<{ data: Message }>(stage, `${path}/${messageId}`, 200, {}, ({ status, body: { data } }) => ({
    what: `${status}`,
    note: told(data),
  }));
