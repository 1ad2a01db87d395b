import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { kept } from '../platform/kept.ts';

const PREFIX = 'whsec_';

export interface Signed {
  /** The event's id, the same at every attempt: receivers recognize a repeat by it. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  body: string | Buffer;
  /** The current secret first, then rotated ones until their overlap ends. */
  secrets: string[];
}

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** The `webhook-signature` header of Standard Webhooks 1.0. */
export function sign({ id, timestamp, body, secrets }: Signed): string {
  if (secrets.length === 0) throw new TypeError('a webhook needs at least one secret');
  if (!Number.isSafeInteger(timestamp)) throw new TypeError('a webhook timestamp is whole unix seconds');
  // The id ends at the first dot: a dot inside would let two messages share one signature.
  if (id.includes('.')) throw new TypeError('a webhook id has no dot');
  const head = `${id}.${timestamp}.`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64')}`)
    .join(' ');
}

const keyOf = kept((secret) => {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  // An HMAC with an empty key works without an error and proves nothing.
  if (key.length < 24) throw new TypeError('a webhook secret is whsec_ and at least 24 bytes in base64');
  // With bytes Node 24 throws and catches an error in each HMAC.
  return createSecretKey(key);
});
