import { createHmac } from 'node:crypto';

/** ASCII JSON with escaped slashes, as the provider signs it: a receiver that signs re-serialized JSON fails. */
export function encode(body: unknown): Buffer {
  const ascii = JSON.stringify(body)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/');
  return Buffer.from(ascii, 'latin1');
}

export function sign(secret: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
