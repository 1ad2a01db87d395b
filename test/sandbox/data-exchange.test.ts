import { constants, createCipheriv, createHmac, generateKeyPairSync, privateDecrypt, webcrypto } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { endpointFlow } from '../support/flows.ts';
import { phoneNumberId, useHouse, wabaId } from './house.ts';

const house = useHouse();
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
let server: Server;
let url: string;
let seen: { headers: IncomingHttpHeaders; raw: Buffer }[] = [];
let answer: (raw: Buffer) => { status: number; text: string };

/** As the provider's guide has it, and with no code of the sandbox. */
function replyTo(raw: Buffer, reply: object, inverted = true): string {
  const { encrypted_aes_key, initial_vector } = JSON.parse(raw.toString());
  const key = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const aesKey = privateDecrypt(key, Buffer.from(encrypted_aes_key, 'base64'));
  const iv = Buffer.from(initial_vector, 'base64').map((byte) => (inverted ? ~byte : byte));
  const cipher = createCipheriv('aes-128-gcm', aesKey, iv);
  return Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/**
 * With another implementation of the ciphers than the sandbox's. The client library cannot: its `receiveFlowEvent` opens files that a form
 * brings, and takes the fields of a request as decrypted already.
 */
async function readRequest(raw: Buffer): Promise<unknown> {
  const { subtle } = webcrypto;
  const { encrypted_flow_data, encrypted_aes_key, initial_vector } = JSON.parse(raw.toString());
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  const pkcs8 = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }));
  const rsa = await subtle.importKey('pkcs8', pkcs8, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['unwrapKey']);
  const aes = await subtle.unwrapKey('raw', bytes(encrypted_aes_key), rsa, { name: 'RSA-OAEP' }, 'AES-GCM', false, ['decrypt']);
  const sealed = { name: 'AES-GCM', iv: bytes(initial_vector), tagLength: 128 };
  return JSON.parse(Buffer.from(await subtle.decrypt(sealed, aes, bytes(encrypted_flow_data))).toString('utf8'));
}

beforeAll(async () => {
  server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const raw = Buffer.concat(chunks);
      seen.push({ headers: req.headers, raw });
      const { status, text } = answer(raw);
      res.writeHead(status).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/flow`;
});
beforeEach(async () => {
  seen = [];
  answer = (raw) => ({ status: 200, text: replyTo(raw, { screen: 'THANKS', data: { words: 'Good' } }) });
  await house.ask('POST', `/v23.0/${phoneNumberId}/whatsapp_business_encryption`, { business_public_key: pem });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
});

test('a phone asks the endpoint of the flow that was sent, and reads its reply', async () => {
  const flow = { waba_id: wabaId, id: '21', name: 'Ask', status: 'PUBLISHED', flow_json: endpointFlow(), endpoint_uri: url };
  await house.control('flows', flow);
  const parameters = { flow_message_version: '3', flow_cta: 'Open', flow_id: '21', flow_token: 'T' };
  const interactive = { type: 'flow', body: { text: 'x' }, action: { name: 'flow', parameters } };
  const sent = await house.send({ type: 'interactive', interactive });
  const asked = { message_id: sent.body.messages[0].id, action: 'data_exchange', screen: 'ASK', data: { words: 'Good' } };
  const { body } = await house.control('data-exchange', asked);
  expect(body).toEqual({ status: 200, ms: expect.any(Number), response: { screen: 'THANKS', data: { words: 'Good' } } });
  const [{ headers, raw }] = seen as [(typeof seen)[number]];
  const hmac = createHmac('sha256', 'sandbox-app-secret').update(raw).digest('hex');
  expect(headers['x-hub-signature-256']).toBe(`sha256=${hmac}`);
  expect(await readRequest(raw)).toEqual({
    version: '3.0',
    action: 'data_exchange',
    screen: 'ASK',
    data: { words: 'Good' },
    flow_token: 'T',
  });
});

test('a health check of a number', async () => {
  answer = (raw) => ({ status: 200, text: replyTo(raw, { data: { status: 'active' } }) });
  const { body } = await house.control('data-exchange', { phone_number_id: phoneNumberId, url, action: 'ping' });
  expect(body.response).toEqual({ data: { status: 'active' } });
});

test('a reply that was not sealed for it is not read', async () => {
  answer = (raw) => ({ status: 200, text: replyTo(raw, {}, false) });
  const { body } = await house.control('data-exchange', { phone_number_id: phoneNumberId, url, action: 'ping' });
  expect(body).toMatchObject({ status: 200, error: expect.stringContaining('cannot be decrypted') });
});

test.each([421, 427, 432])('the endpoint answers %i, which is passed on', async (status) => {
  answer = () => ({ status, text: 'no' });
  const { body } = await house.control('data-exchange', {
    phone_number_id: phoneNumberId,
    url,
    action: 'INIT',
    signature: 'bad',
  });
  expect(body).toMatchObject({ status, text: 'no' });
  expect(seen[0]!.headers['x-hub-signature-256']).toMatch(/^sha256=/);
});

test('without a key, or without an endpoint, nothing is asked', async () => {
  expect((await house.control('data-exchange', { phone_number_id: phoneNumberId, action: 'ping' })).status).toBe(422);
  await house.ask('DELETE', '/_control');
  expect((await house.control('data-exchange', { phone_number_id: phoneNumberId, url, action: 'ping' })).status).toBe(422);
  expect(seen).toEqual([]);
});
