import { randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `kk_`: an API key. `kt_`: a bearer token. */
export type Prefix = 'kk_' | 'kt_';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const checksum = (body: string) => {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit += 1) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
};

const randomCharacters = (length: number) => Array.from({ length }, () => alphabet[randomInt(62)]).join('');

/** The checksum refuses a mistyped credential without a look-up, and lets secret scanners recognize it. */
export function newCredential(prefix: Prefix): string {
  const body = randomCharacters(32);
  return `${prefix}${body}${checksum(body)}`;
}

export const looksLike = (prefix: Prefix, text: string) =>
  text.startsWith(prefix) && /^[0-9A-Za-z]{38}$/.test(text.slice(3)) && checksum(text.slice(3, 35)) === text.slice(35);

export const hintOf = (credential: string) => credential.slice(0, 8);

export const newSecretToken = () => randomBytes(32).toString('base64url');
export const looksLikeSecretToken = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text);

/** 142 random bits, safe in a shell and selected by a double click. */
export const newPassword = () => randomCharacters(24);
