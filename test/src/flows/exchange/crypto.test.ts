import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { verifySignature } from '@kapso/whatsapp-cloud-api/server';
import { CannotDecrypt, keyOf, newKeyPair, openRequest, sealReply } from '../../../../src/flows/exchange/crypto.ts';
import { isSignedWith } from '../../../../src/provider-webhooks/signature.ts';
import { phoneRequest } from '../../../support/phone.ts';

type Vectors = {
  private_key: string;
  public_key: string;
  other_private_key: string;
  good: { name: string; body: object; request: Record<string, unknown>; reply: object; reply_text: string }[];
  bad: { name: string; body: unknown }[];
  signatures: { secret: string; body: string; good: string[]; bad: string[] };
};
const vectors: Vectors = JSON.parse(readFileSync('test/src/flows/exchange/vectors.json', 'utf8'));
const key = keyOf(vectors.private_key);
const other = keyOf(vectors.other_private_key);
const bytesOf = (body: unknown) => Buffer.from(JSON.stringify(body));

describe.each(vectors.good)('$name', ({ body, request, reply, reply_text }) => {
  test('is opened', async () => {
    const { action, screen = '', data = {}, flow_token = '' } = request;
    expect((await openRequest([key], bytesOf(body))).request).toEqual({
      version: '3.0',
      action,
      screen,
      data,
      flowToken: flow_token,
    });
  });

  test('its reply is encrypted to the very bytes that another implementation makes', async () => {
    expect(sealReply(await openRequest([key], bytesOf(body)), reply)).toBe(reply_text);
  });

  test('opens with the second key too', async () => {
    expect((await openRequest([other, key], bytesOf(body))).request.action).toBe(request.action);
  });
});

test.each(vectors.bad)('$name: cannot be decrypted', async ({ body }) => {
  await expect(openRequest([key], bytesOf(body))).rejects.toThrow(CannotDecrypt);
});

test.each([
  ['empty', ''],
  ['broken', '{'],
  ['a text', '""'],
  ['nested without an end', '['.repeat(100_000)],
  ['NUL', '\u0000'],
])('a body that is %s: cannot be decrypted', async (_what, text) => {
  await expect(openRequest([key], Buffer.from(text))).rejects.toThrow(CannotDecrypt);
});

test('without a key nothing is opened', async () => {
  await expect(openRequest([], bytesOf(vectors.good[0]!.body))).rejects.toThrow(CannotDecrypt);
});

test('a phone is understood, and understands', async () => {
  const { privateKey, publicKey } = await newKeyPair();
  const phone = await phoneRequest(publicKey, { version: '3.0', action: 'BACK', screen: 'A', data: { a: 1 }, flow_token: 'T' });
  const opened = await openRequest([keyOf(privateKey)], bytesOf(phone.body));
  expect(opened.request).toEqual({ version: '3.0', action: 'BACK', screen: 'A', data: { a: 1 }, flowToken: 'T' });
  const reply = { screen: 'B', data: { text: 'مرحبا' } };
  expect(await phone.open(sealReply(opened, reply))).toEqual(reply);
});

test('a reply is not under the vector of its request, under which a byte would tell the other', async () => {
  const opened = await openRequest([key], bytesOf(vectors.good[0]!.body));
  const sealed = Buffer.from(sealReply(opened, { a: 1 }), 'base64');
  const decipher = createDecipheriv('aes-128-gcm', opened.aesKey, opened.vector).setAuthTag(sealed.subarray(-16));
  decipher.update(sealed.subarray(0, -16));
  expect(() => decipher.final()).toThrow();
});

test('a new pair is RSA of 2048 bits, and no two are the same', async () => {
  const [one, two] = [await newKeyPair(), await newKeyPair()];
  expect(keyOf(one.privateKey).algorithm).toMatchObject({ name: 'RSA-OAEP', modulusLength: 2048 });
  expect(one.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----/);
  expect(one.publicKey).not.toBe(two.publicKey);
});

describe('signatures, by our side and the client library', () => {
  const { secret, body: rawBody, good, bad } = vectors.signatures;
  const theirs = (signatureHeader: string) => verifySignature({ appSecret: secret, rawBody, signatureHeader });
  const ours = (header: string) => isSignedWith(secret, Buffer.from(rawBody), header);

  test.each(good)('%s is right', (header) => {
    expect([ours(header), theirs(header)]).toEqual([true, true]);
  });

  test.each(bad)('%s is wrong', (header) => {
    expect([ours(header), theirs(header)]).toEqual([false, false]);
  });
});
