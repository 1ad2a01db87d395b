import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenOf } from '../../../src/flows/token.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { bodyOf as body, change, entry, statusOf } from '../../support/provider-body.ts';
import { answerFrom } from '../../support/sent-flows.ts';
import { account, type Stack } from '../stack.ts';

type Arrival = { id: string; to: string; callback_data: string };
/** What a person answered. `text`: what was sent as no JSON. */
export type Answer = { messageId: string; to: string; phone: string; day: 'mon' | 'tue'; hasToken: boolean; text?: string };

const repeated = 0.1;
const malformed = 0.01;
const maxParts = 12;
const channel = { phoneNumberId: account.phone_number_id, wabaId: account.waba_id };

export const idOf = (messageId: string) => `wamid.answer.${messageId}`;

/** People answer each message once; the provider tells of it in bodies of any size, some parts twice, an answer before its status or after. `given`: the answers so far. */
export async function playPhones(stack: Stack, random: () => number, answers: number, given: Map<string, Answer>) {
  const secrets = createSecrets({ secretKey: stack.settings.SECRET_KEY!, hashKey: stack.settings.HASH_KEY! });
  const waiting: object[] = [];
  const repeats: object[] = [];
  let seen = 0;
  let repeatsTold = 0;

  function answered({ id, to, callback_data: messageId }: Arrival): object {
    const isMalformed = random() < malformed;
    const one: Answer = {
      ...{ messageId, to: id, phone: to.replace(/\D/g, '') },
      day: random() < 0.5 ? 'mon' : 'tue',
      hasToken: !isMalformed && random() < 0.5,
      ...(isMalformed && { text: `{"day": "mon ${messageId}` }),
    };
    given.set(messageId, one);
    const token = one.hasToken ? { flow_token: tokenOf(secrets, stack.organizationId, messageId) } : {};
    return answerFrom(one.phone, one.text ?? { ...token, day: one.day }, { to: id, id: idOf(messageId) });
  }

  const told = ({ id, to, callback_data }: Arrival) => ({
    statuses: [statusOf(id, 'delivered', { recipient_id: to, biz_opaque_callback_data: callback_data })],
  });

  while (given.size < answers || waiting.length > 0 || repeats.length > 0) {
    const { messages } = await stack.control<{ messages: Arrival[] }>('GET', `/messages?after=${seen}`);
    for (const arrival of messages) {
      const parts = given.has(arrival.callback_data) ? [told(arrival)] : [answered(arrival), told(arrival)];
      waiting.push(...(random() < 0.5 ? parts : parts.reverse()));
    }
    seen += messages.length;
    const parts = waiting.splice(0, 1 + Math.floor(random() * maxParts));
    repeats.push(...parts.filter(() => random() < repeated));
    if (repeats.length > 0 && random() < 0.5) {
      parts.push(repeats.shift()!);
      repeatsTold += 1;
    }
    if (parts.length > 0) await tell(parts);
    else await sleep(100);
  }
  return { answers: given, repeats: repeatsTold };

  async function tell(values: object[]) {
    const text = JSON.stringify(
      body(entry(channel, ...values.map((value) => change(channel, value as Record<string, unknown>)))),
    );
    const signature = createHmac('sha256', stack.settings.MESSAGING_APP_SECRET!).update(text).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    for (const until = Date.now() + 180_000; ; await sleep(100)) {
      const url = `${stack.base}/v1/providers/messaging-app/webhook`;
      const init = { method: 'POST', headers, body: text, signal: AbortSignal.timeout(20_000) };
      const answer = await fetch(url, init).catch(() => undefined);
      await answer?.arrayBuffer();
      if (answer?.status === 200) return;
      if (Date.now() > until) throw new Error(`A provider's body was answered ${answer?.status}`);
    }
  }
}
