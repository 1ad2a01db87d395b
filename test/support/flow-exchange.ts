import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { newKeyPair } from '../../src/flows/exchange/crypto.ts';
import { tokenOf } from '../../src/flows/token.ts';
import { type App, appSecret, type Body, type Channel } from './app.ts';
import { phoneRequest } from './phone.ts';
import { testSecrets } from './secrets.ts';

/** A flow of the channel's organization with an endpoint, without a word to the provider. */
export async function flowWithEndpoint(app: App, channel: Channel, url: string | null): Promise<string> {
  const id = uuidv7();
  await app.rows(
    `insert into flows (id, organization_id, channel_id, account_id, name, category, categories, status, builder_json, flow_json,
                        json_version, data_api_version, local_sha256, data_exchange_url)
     values ($1::uuid, $2, $3, $4, 'Flow ' || $1::text, 'other', '{other}', 'published', '{}', '{}', '7.2', '3.0', 'x', $5)`,
    [id, channel.tenant.organizationId, channel.id, channel.wabaId, url],
  );
  await app.rows(
    `insert into flow_versions (id, organization_id, flow_id, number, builder_version, json_version, data_api_version, sha256, labels, why)
     values (uuidv7(), $1, $2, 1, 1, '7.2', '3.0', 'x', '{}', 'create')`,
    [channel.tenant.organizationId, id],
  );
  return id;
}

export type OpenedForm = { messageId: string; token: string; contactId: string; conversationId: string };

/** The flow was sent to somebody, whose phone has the token. */
export async function sendFlow(
  app: App,
  channel: Channel,
  flowId: string,
  clientToken: string | null = null,
): Promise<OpenedForm> {
  const { organizationId } = channel.tenant;
  const conversation = await app.conversation(channel);
  const sent = await app.text(channel, conversation.phone);
  const messageId: string = sent.body.data.id;
  await app.rows(
    'insert into flow_sends (organization_id, message_id, flow_id, version, client_token) values ($1, $2, $3, 1, $4)',
    [organizationId, messageId, flowId, clientToken],
  );
  const token = tokenOf(testSecrets, organizationId, messageId);
  return { messageId, token, contactId: conversation.contactId, conversationId: conversation.id };
}

/** A key as its upload leaves it, here and at the sandbox. */
export async function giveKey(app: App, channel: Channel): Promise<string> {
  const { privateKey, publicKey } = await newKeyPair();
  await app.rows(
    `insert into flow_keys (id, organization_id, channel_id, state, private_key, public_key, uploaded_at)
     values (uuidv7(), $1, $2, 'current', $3, $4, clock_timestamp())`,
    [channel.tenant.organizationId, channel.id, testSecrets.seal(privateKey), publicKey],
  );
  const response = await fetch(`${app.sandboxUrl}/v25.0/${channel.phoneNumberId}/whatsapp_business_encryption`, {
    method: 'POST',
    headers: { authorization: `Bearer ${channel.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ business_public_key: publicKey }),
  });
  if (!response.ok) throw new Error(`The sandbox answered ${response.status}: ${await response.text()}`);
  return publicKey;
}

export type Asked = {
  action?: string;
  screen?: string;
  data?: object;
  flow_token?: string;
  fault?: 'signature' | 'no_signature' | 'key' | 'tag';
};
type How = { endpointOf?: Channel; secret?: string; publicKey?: string };

/** By way of the provider: the status, and the reply once decrypted, else its text. */
export async function askByPhone(
  app: App,
  channel: Channel,
  { fault, ...asked }: Asked,
  { endpointOf = channel, secret = appSecret, publicKey }: How = {},
): Promise<Body> {
  const known = fault === 'key' ? (await newKeyPair()).publicKey : (publicKey ?? (await keyAtProvider(app, channel)));
  const phone = await phoneRequest(known, { version: '3.0', action: 'data_exchange', ...asked });
  if (fault === 'tag') phone.body.encrypted_flow_data = cut(phone.body.encrypted_flow_data);
  const body = JSON.stringify(phone.body);
  const signed = fault === 'signature' ? `not ${secret}` : secret;
  const startedAt = performance.now();
  const { status, text } = await app.raw('POST', `/v1/providers/messaging-app/flows/${endpointOf.id}`, {
    key: null,
    headers: {
      'content-type': 'application/json',
      ...(fault !== 'no_signature' && {
        'x-hub-signature-256': `sha256=${createHmac('sha256', signed).update(body).digest('hex')}`,
      }),
    },
    body,
  });
  const ms = performance.now() - startedAt;
  const reply = await phone.open(text).catch(() => null);
  return { status, ms, reply, text };
}

const cut = (data: string) => Buffer.from(data, 'base64').subarray(0, -4).toString('base64');

/** What phones encrypt with. */
export async function keyAtProvider(app: App, { phoneNumberId, accessToken }: Channel): Promise<string> {
  const response = await fetch(`${app.sandboxUrl}/v25.0/${phoneNumberId}/whatsapp_business_encryption`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  const { business_public_key, data } = (await response.json()) as Body;
  return business_public_key ?? data[0].business_public_key;
}

export type FlowEndpoint = {
  url: string;
  received: { headers: IncomingHttpHeaders; raw: string; body: Body }[];
  answer(answer: (res: ServerResponse) => void): void;
  close(): Promise<void>;
};

/** A customer's server. */
export async function startFlowEndpoint(): Promise<FlowEndpoint> {
  const received: FlowEndpoint['received'] = [];
  let answering: (res: ServerResponse) => void = (res) => res.end('{}');
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const raw = Buffer.concat(chunks).toString('utf8');
    received.push({ headers: req.headers, raw, body: JSON.parse(raw) });
    answering(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/flow`,
    received,
    answer(next) {
      answering = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
