import { randomBytes, randomInt } from 'node:crypto';

/**
 * A message id built as the provider builds it: a header, the user's name, the direction, a random part, a zero byte.
 * Base64 keeps `=`, `+` and `/`, which catches callers that put an id into a path without encoding it.
 */
export function messageId(user: string, direction: 'in' | 'out'): string {
  const random = direction === 'out' ? hex(9) : `3A${hex(9)}`;
  const bytes = Buffer.concat([
    Buffer.from([0x1c, 0x18, user.length]),
    Buffer.from(user, 'latin1'),
    Buffer.from([0x15, 0x02, 0x00, direction === 'out' ? 0x11 : 0x12, 0x18, random.length]),
    Buffer.from(random, 'latin1'),
    Buffer.from([0x00]),
  ]);
  return `wamid.${bytes.toString('base64')}`;
}

/** Within what a JSON number holds exactly: webhooks write it as one. */
export function templateId(): string {
  return `1${randomInt(1e7, 1e8)}${randomInt(1e6, 1e7)}`;
}

export function flowId(): string {
  return `2${randomInt(1e7, 1e8)}${randomInt(1e6, 1e7)}`;
}

export function traceId(): string {
  return `A${randomBytes(16).toString('base64url')}`;
}

function hex(length: number): string {
  return randomBytes(length).toString('hex').toUpperCase();
}
