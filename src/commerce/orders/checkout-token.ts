import { randomBytes } from 'node:crypto';
import { type Secrets, sha256 } from '../../platform/secrets.ts';

const prefix = 'co_';
const organizationBytes = 16;
const secretBytes = 24;
const form = /^co_[A-Za-z0-9_-]{54}$/;

/** What opens the customer's own page of an order. Its first part names the organization: rows are found by organization and hash. */
export function newCheckoutToken(secrets: Secrets, organizationId: string) {
  const organization = Buffer.from(organizationId.replaceAll('-', ''), 'hex');
  const token = prefix + Buffer.concat([organization, randomBytes(secretBytes)]).toString('base64url');
  return { token, columns: { checkout_token: secrets.seal(token), checkout_token_hash: checkoutTokenHash(token) } };
}

export const checkoutTokenHash = (token: string): string => sha256(token).toString('hex');

/** Undefined: not the form of one. */
export function organizationOfToken(token: string): string | undefined {
  if (!form.test(token)) return undefined;
  const bytes = Buffer.from(token.slice(prefix.length), 'base64url');
  if (bytes.length !== organizationBytes + secretBytes) return undefined;
  const hex = bytes.subarray(0, organizationBytes).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** For examples and for the form of the parameter. */
export const exampleCheckoutToken = `${prefix}${'A'.repeat(54)}`;
