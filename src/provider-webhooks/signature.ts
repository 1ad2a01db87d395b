import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

const shape = /^sha256=([0-9a-f]{64})$/i;

export const looksSigned = (header: string | undefined) => header !== undefined && shape.test(header);

/** `X-Hub-Signature-256: sha256=<hex>` over the raw bytes, compared in constant time. */
export function isSignedWith(secret: string, body: Buffer, header: string | undefined): boolean {
  const match = shape.exec(header ?? '');
  if (!match) return false;
  // With a text for a key Node 24 throws and catches an error in each HMAC.
  const key = createSecretKey(secret, 'utf8');
  return timingSafeEqual(createHmac('sha256', key).update(body).digest(), Buffer.from(match[1]!, 'hex'));
}
