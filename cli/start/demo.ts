import { demoAccount } from '../../sandbox/demo-account.ts';
import { Message } from '../../src/messaging/message.entity.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Template } from '../../src/templates/template.entity.ts';
import { type DemoCampaign, prepareCampaign } from './demo-campaign.ts';
import { type DemoCommerce, prepareCommerce } from './demo-commerce.ts';
import { type DemoCrm, prepareCrm } from './demo-crm.ts';
import { prepareFlow } from './demo-flow.ts';
import { type DemoRule, prepareRule } from './demo-rule.ts';
import type { Addresses } from './environment.ts';
import { ask } from './local-http.ts';
import { until } from './until.ts';

const phone = '15550100099';
const { phone_number_id, waba_id, access_token } = demoAccount;
const { name: templateName, language } = demoAccount.templates[0]!;

export type Demo = {
  channel: { id: string; phone_number_id: string; waba_id: string; access_token: string };
  contact: { id: string; phone: string };
  conversation: { id: string };
  template: { name: string; language: string };
  flow: { id: string };
} & DemoCrm &
  DemoCommerce &
  DemoCampaign &
  DemoRule;

type Where = {
  database: Database;
  own: Own;
  addresses: Addresses;
  apiKey: string;
  webhookSecret: string;
  signal: AbortSignal;
};

/** The sandbox's number as a channel, and a contact that has just written, so that a text or a flow to it is allowed for 24 hours. */
export async function prepareDemo(where: Where): Promise<Demo> {
  const id = await connectChannel(where);
  const [{ contact_id, conversation_id, crm }, flow, campaign, commerce, rule] = await Promise.all([
    firstMessage(where, id).then(async (message) => {
      const { conversation_id: conversationId, contact_id: contactId } = message;
      return { ...message, crm: await prepareCrm(where, { conversationId, contactId: contactId! }) };
    }),
    prepareFlow(where, id),
    templateIsThere(where, id).then(() => prepareCampaign(where, id)),
    prepareCommerce(where),
    prepareRule(where),
  ]);
  return {
    channel: { id, phone_number_id, waba_id, access_token },
    contact: { id: contact_id!, phone: `+${phone}` },
    conversation: { id: conversation_id },
    template: { name: templateName, language },
    flow,
    ...crm,
    ...commerce,
    ...campaign,
    ...rule,
  };
}

type Answer = { id?: string; items?: { id: string; phone_number_id: string }[] };

async function connectChannel({ addresses, apiKey: key, signal }: Where): Promise<string> {
  const url = `${addresses.base}/v1/channels`;
  const list = await ask<Answer>(`${url}?limit=100`, { key, signal });
  const known = list?.body.items?.find((channel) => channel.phone_number_id === phone_number_id);
  // The token of a known channel may be sealed with the key of an earlier home.
  const request = known
    ? { url: `${url}/${known.id}`, method: 'PATCH', body: { access_token } }
    : { url, method: 'POST', body: { phone_number_id, waba_id, access_token, name: 'Demo' } };
  // 503 while the sandbox is not up yet: the number is read from it.
  const done = await until('The connection of the demo channel', signal, async () => {
    const answer = await ask<Answer>(request.url, { ...request, key, signal });
    return answer?.status === 503 ? undefined : answer;
  });
  if (!done.body.id) throw new Error(`The demo channel could not be connected: ${JSON.stringify(done.body)}`);
  return done.body.id;
}

/** Lets the demo contact write. Repeated when the sandbox starts again, since it keeps nothing. */
export const letContactWrite = (addresses: Addresses, signal: AbortSignal) =>
  until('The start of the sandbox', signal, () =>
    ask<{ message_id: string }>(`${addresses.sandbox}/_control/inbound`, {
      method: 'POST',
      body: {
        phone_number_id,
        message: { type: 'text', text: { body: 'Hello Kanal' } },
        contact: { profile: { name: 'Demo Contact' }, wa_id: phone },
      },
      signal,
    }),
  );

const messageOf = statement((select, { channelId, providerMessageId }: { channelId: string; providerMessageId: string }) =>
  select(Message)
    .select(['contact_id', 'conversation_id'])
    .where('channel_id', '=', channelId)
    .where('provider_message_id', '=', providerMessageId),
);

async function firstMessage({ own, addresses, signal }: Where, channelId: string) {
  const { body } = await letContactWrite(addresses, signal);
  return until("The demo contact's message", signal, async () => {
    const [message] = await messageOf(own, { channelId, providerMessageId: body.message_id });
    return message?.contact_id ? message : undefined;
  });
}

const templateOf = statement((select, { channelId, name }: { channelId: string; name: string }) =>
  select(Template).select('id').where('channel_id', '=', channelId).where('name', '=', name),
);

const templateIsThere = ({ own, signal }: Where, channelId: string) =>
  until("The fetch of the channel's templates", signal, async () => {
    const rows = await templateOf(own, { channelId, name: templateName });
    return rows.length > 0 || undefined;
  });
