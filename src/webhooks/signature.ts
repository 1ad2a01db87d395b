import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

export interface Signed {
  /** The event's id; the same on every try, so that a receiver can tell a repeat. */
  id: string;
  /** Unix seconds of this try. */
  timestamp: number;
  body: string | Buffer;
  /** The current secret first, then those whose overlap after a rotation has not ended. */
  secrets: string[];
}

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** The `webhook-signature` header of Standard Webhooks 1.0: one `v1,<base64>` a secret, separated by spaces. */
export function sign({ id, timestamp, body, secrets }: Signed): string {
  if (secrets.length === 0) throw new TypeError('a webhook needs at least one secret');
  if (!Number.isSafeInteger(timestamp)) throw new TypeError('a webhook timestamp is whole unix seconds');
  // The id ends at the first dot of the signed text: a dot inside would let two messages share one signature.
  if (id.includes('.')) throw new TypeError('a webhook id has no dot');
  const head = `${id}.${timestamp}.`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64')}`)
    .join(' ');
}

function keyOf(secret: string): Buffer {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '', 'base64');
  // An HMAC with an empty key works without complaint and proves nothing.
  if (key.length < 24) throw new TypeError('a webhook secret is whsec_ and at least 24 bytes in base64');
  return key;
}
