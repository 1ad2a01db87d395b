import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { kept } from '../platform/kept.ts';

const shape = /^sha256=([0-9a-f]{64})$/i;

export const looksSigned = (header: string | undefined) => header !== undefined && shape.test(header);

// With a text for a key Node 24 throws and catches an error in each HMAC.
const keyOf = kept((secret) => createSecretKey(secret, 'utf8'));

/** `X-Hub-Signature-256: sha256=<hex>` over the raw bytes, compared in constant time. */
export function isSignedWith(secret: string, body: Buffer, header: string | undefined): boolean {
  const match = shape.exec(header ?? '');
  if (!match) return false;
  return timingSafeEqual(createHmac('sha256', keyOf(secret)).update(body).digest(), Buffer.from(match[1]!, 'hex'));
}
