import { timingSafeEqual } from 'node:crypto';
import { isUuid } from '../platform/ids.ts';
import type { Secrets } from '../platform/secrets.ts';

const signed = (secrets: Secrets, organizationId: string, messageId: string) =>
  secrets.hash(`flow-token:${organizationId}:${messageId}`).toString('base64url');

/** On the wire in place of the client's own: it names the message that opened the flow, and only we can make it. */
export const tokenOf = (secrets: Secrets, organizationId: string, messageId: string): string =>
  `${messageId}.${signed(secrets, organizationId, messageId)}`;

/** Undefined: it is not ours. */
export function messageIdIn(secrets: Secrets, organizationId: string, token: string): string | undefined {
  const end = token.indexOf('.');
  const messageId = token.slice(0, end);
  if (!isUuid(messageId)) return undefined;
  const [given, ours] = [token, tokenOf(secrets, organizationId, messageId)].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  // All tokens of ours have one length: it tells nothing.
  return given.length === ours.length && timingSafeEqual(given, ours) ? messageId : undefined;
}
