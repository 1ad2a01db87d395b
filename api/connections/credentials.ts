import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { ConnectionProvider } from '../../src/connections/connection.entity.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { checkUrl, ForbiddenAddress, type UrlRules } from '../../src/platform/network/address-guard.ts';

type Form = { required: string[]; optional?: string[] };

/** For each provider the sets of credentials it takes; one is meant by the first name in it. */
export const forms: Record<ConnectionProvider, [Form, ...Form[]]> = {
  google: [
    { required: ['refresh_token'], optional: ['client_id', 'client_secret'] },
    { required: ['private_key', 'client_email'], optional: ['subject'] },
  ],
  zoom: [{ required: ['account_id', 'client_id', 'client_secret'] }],
  biteship: [{ required: ['api_key'] }],
  xendit: [{ required: ['secret_key'] }],
  stripe: [{ required: ['secret_key'] }],
};

/** Those that are sent in a header; a private key has lines. */
const isHeaderSafe = (text: string) => /^[\x20-\x7e]+$/.test(text);

/** Twice what providers give. We sign with it while others wait, and the time grows with the third power of its bits. */
const maxKeyBits = 4_096;
const bitsOf = (part: string | undefined) => Buffer.from(part ?? '', 'base64url').length * 8;

/** The parts too: a key need not fit together, and the time to sign is that of its primes. What is no key is for the provider to refuse. */
function isTooLarge(text: string): boolean {
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch {
    return false;
  }
  // None of a service account's: some of another type would be signed with all the same.
  if (key.asymmetricKeyType !== 'rsa') return true;
  const { n, e, d, p, q, dp, dq, qi } = key.export({ format: 'jwk' });
  const [whole, half] = [Math.max(...[n, e, d].map(bitsOf)), Math.max(...[p, q, dp, dq, qi].map(bitsOf))];
  return whole > maxKeyBits || half > maxKeyBits / 2 + 64;
}

/** Throws 422 at the field. */
export function checkCredentials(provider: ConnectionProvider, given: Record<string, string>): Record<string, string> {
  const [first, ...others] = forms[provider];
  const { required, optional = [] } = others.find((form) => given[form.required[0]!] !== undefined) ?? first;
  for (const name of required)
    if (!given[name])
      throw invalidField(`credentials.${name}`, `"credentials.${name}" is required for ${provider}`, 'any.required');
  for (const [name, value] of Object.entries(given)) {
    if (!required.includes(name) && !optional.includes(name))
      throw invalidField(`credentials.${name}`, `"credentials.${name}" is not one of ${provider}`, 'object.unknown');
    if (name !== 'private_key' && !isHeaderSafe(value))
      throw invalidField(`credentials.${name}`, `"credentials.${name}" must be ASCII without control characters`);
  }
  if (given.private_key !== undefined && isTooLarge(given.private_key))
    throw invalidField('credentials.private_key', `"credentials.private_key" must be an RSA key of at most ${maxKeyBits} bits`);
  return given;
}

type Rules = { webhookAllowHttp: boolean; webhookAllowNetworks: string[] };

/** An address that a person is sent to, by a browser: https, or http where webhooks may use it. Throws 422. */
export function checkReturnUrl(
  field: string,
  text: string,
  { webhookAllowHttp: allowHttp, webhookAllowNetworks }: Rules,
): string {
  const rules: UrlRules = { allowHttp, allowNetworks: webhookAllowNetworks };
  try {
    return checkUrl(text, rules).href;
  } catch (error) {
    if (!(error instanceof ForbiddenAddress)) throw error;
    throw invalidField(field, error.message);
  }
}

export function checkSettings(settings: Record<string, string> | undefined, rules: Rules) {
  for (const [name, value] of Object.entries(settings ?? {}))
    if (name.endsWith('_url')) checkReturnUrl(`settings.${name}`, value, rules);
  return settings;
}
