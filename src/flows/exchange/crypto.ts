import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createSecretKey,
  generateKeyPair,
  type KeyObject,
  webcrypto,
} from 'node:crypto';
import { promisify } from 'node:util';

/*
 * The provider's protocol for endpoints of flows: each request brings an AES-128 key of its own, which RSA-OAEP with SHA-256 carries under
 * the number's public key; request and reply are AES-GCM, the reply under the inverted vector. No library of npm has it: node:crypto does.
 */

/** `aesKey`, `vector`: for the reply. */
export type Opened = { request: ExchangeRequest; aesKey: KeyObject; vector: Buffer };

/** As the phone says it, by way of the provider. */
export type ExchangeRequest = {
  version: string;
  action: string;
  screen: string;
  data: Record<string, unknown>;
  flowToken: string;
};

/** Not to be decrypted with any of these keys: the phone fetches the public key again, and repeats. */
export class CannotDecrypt extends Error {
  override name = 'CannotDecrypt';
}

const aesKeyBytes = 16;
const tagBytes = 16;
/** The provider's have 16; 12 is what GCM is made for. */
const vectorBytes = [12, 16];
const wrapping = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;

const generate = promisify(generateKeyPair);

/** PEM both. */
export async function newKeyPair(): Promise<{ privateKey: string; publicKey: string }> {
  return generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}

/** Of another thread: RSA is by far the most of a request's work. */
export type ExchangeKey = webcrypto.CryptoKey;

export const keyOf = (pem: string): ExchangeKey => createPrivateKey(pem).toCryptoKey(wrapping, false, ['decrypt']);

/** The first of the keys that opens it counts. Throws CannotDecrypt, for a body of another shape too. */
export async function openRequest(keys: Iterable<ExchangeKey>, body: Buffer): Promise<Opened> {
  const { encrypted_flow_data, encrypted_aes_key, initial_vector } = fieldsOf(body);
  const [data, sealedKey, vector] = [encrypted_flow_data, encrypted_aes_key, initial_vector].map(bytesOf) as Buffer[];
  if (!vectorBytes.includes(vector!.length)) throw new CannotDecrypt('The vector has another length');
  if (data!.length <= tagBytes) throw new CannotDecrypt('There is no data');
  for (const key of keys) {
    const aesKey = await unwrapped(key, sealedKey!);
    const text = aesKey && decrypted(aesKey, vector!, data!);
    if (text !== undefined) return { request: requestIn(text), aesKey: aesKey!, vector: vector! };
  }
  throw new CannotDecrypt('No key of the number opens it');
}

/** The text of the answer's body. */
export function sealReply({ aesKey, vector }: Pick<Opened, 'aesKey' | 'vector'>, reply: object): string {
  const inverted = Buffer.from(vector.map((byte) => ~byte));
  const cipher = createCipheriv('aes-128-gcm', aesKey, inverted, { authTagLength: tagBytes });
  return Buffer.concat([cipher.update(JSON.stringify(reply), 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

function fieldsOf(body: Buffer): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    if (parsed !== null && typeof parsed === 'object') return parsed as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new CannotDecrypt('The body is no encrypted request');
}

function bytesOf(value: unknown): Buffer {
  if (typeof value !== 'string') throw new CannotDecrypt('The body is no encrypted request');
  return Buffer.from(value, 'base64');
}

/** In a thread of the pool, of which lookups of names never have more than half: the event loop goes on. */
async function unwrapped(key: ExchangeKey, sealed: Buffer): Promise<KeyObject | undefined> {
  try {
    const aesKey = Buffer.from(await webcrypto.subtle.decrypt(wrapping, key, sealed));
    // With bytes Node 24 throws and catches an error in each cipher.
    return aesKey.length === aesKeyBytes ? createSecretKey(aesKey) : undefined;
  } catch {
    return undefined;
  }
}

/** Without its length, Node would take a tag that was cut short. */
function decrypted(aesKey: KeyObject, vector: Buffer, data: Buffer): string | undefined {
  const decipher = createDecipheriv('aes-128-gcm', aesKey, vector, { authTagLength: tagBytes });
  try {
    decipher.setAuthTag(data.subarray(-tagBytes));
    return Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function requestIn(text: string): ExchangeRequest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new CannotDecrypt('What was encrypted is not JSON');
  }
  const { version, action, screen, data, flow_token } = (parsed ?? {}) as Record<string, unknown>;
  if (typeof action !== 'string' || action === '') throw new CannotDecrypt('What was encrypted is no request');
  return {
    version: wordOf(version),
    action,
    screen: wordOf(screen),
    // Both null and left out for a health check and the first screen.
    data: data !== null && typeof data === 'object' && !Array.isArray(data) ? (data as Record<string, unknown>) : {},
    flowToken: wordOf(flow_token),
  };
}

const wordOf = (value: unknown) => (typeof value === 'string' ? value : '');
