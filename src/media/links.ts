import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../platform/secrets.ts';
import { now } from '../platform/time/clock.ts';

/** What a link lets anybody do who has it. */
export type LinkTo = { organizationId: string; assetId: string; expiresAtMs: number; isInline: boolean };

const idBytes = 16;
/** Two ids, the end in seconds, how it is shown. */
const claimBytes = 2 * idBytes + 6 + 1;
const macBytes = 32;

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const idOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** No row: a link ends by its time, or with its asset. The hash key signs it, and nothing else in this form. */
export function signedLink(secrets: Secrets, { organizationId, assetId, expiresAtMs, isInline }: LinkTo): string {
  const end = Buffer.alloc(7);
  end.writeUIntBE(Math.floor(expiresAtMs / 1_000), 0, 6);
  end.writeUInt8(isInline ? 1 : 0, 6);
  const claim = Buffer.concat([bytesOf(organizationId), bytesOf(assetId), end]);
  return Buffer.concat([claim, macOf(secrets, claim)]).toString('base64url');
}

/** Undefined: not one of ours, or over. */
export function readLink(secrets: Secrets, token: string): LinkTo | undefined {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== claimBytes + macBytes || bytes.toString('base64url') !== token) return undefined;
  const claim = bytes.subarray(0, claimBytes);
  if (!timingSafeEqual(macOf(secrets, claim), bytes.subarray(claimBytes))) return undefined;
  const expiresAtMs = claim.readUIntBE(2 * idBytes, 6) * 1_000;
  if (expiresAtMs <= now()) return undefined;
  return {
    organizationId: idOf(claim.subarray(0, idBytes)),
    assetId: idOf(claim.subarray(idBytes, 2 * idBytes)),
    expiresAtMs,
    isInline: claim.readUInt8(claimBytes - 1) === 1,
  };
}

const macOf = (secrets: Secrets, claim: Buffer) => secrets.hash(`media link ${claim.toString('hex')}`);
