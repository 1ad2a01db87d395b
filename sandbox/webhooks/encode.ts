import { createHmac } from 'node:crypto';

/**
 * JSON in ASCII, with slashes escaped too: the bytes the provider signs are not the ones another
 * serializer would write, so a receiver that checks anything but the raw body is found out.
 */
export function encode(body: unknown): Buffer {
  const ascii = JSON.stringify(body)
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/');
  return Buffer.from(ascii, 'latin1');
}

export function sign(secret: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
