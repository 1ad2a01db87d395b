import { isUuid } from '../platform/ids.ts';
import { equalsInConstantTime, type Secrets } from '../platform/secrets.ts';

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
  return equalsInConstantTime(token, tokenOf(secrets, organizationId, messageId)) ? messageId : undefined;
}
