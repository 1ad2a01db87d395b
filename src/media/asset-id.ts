import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';

/** The name of a file in the storage: ids only, so that no client can name another place. */
export const storageKeyOf = (organizationId: string, id: string) => `${organizationId}/${id}`;

/** An asset's id on the wire: its storage key in URL-safe Base64. */
export const publicIdOf = (storageKey: string) => Buffer.from(storageKey).toString('base64url');

/** Of a key of another form, which is nobody's: undefined. */
export function partsOf(storageKey: string): { organizationId: string; id: string } | undefined {
  const [organizationId = '', id = '', ...more] = storageKey.split('/');
  const isKey = [organizationId, id].every((part) => isUuid(part) && part === part.toLowerCase());
  return isKey && more.length === 0 ? { organizationId, id } : undefined;
}

/** Throws 422 for what is no URL-safe Base64. Undefined: a key that this organization does not have. */
export function assetIdIn(organizationId: string, publicId: string): string | undefined {
  if (!isBase64Url(publicId)) throw new AppError('invalid_request', 'The asset id is not URL-safe Base64');
  const parts = partsOf(Buffer.from(publicId, 'base64url').toString());
  return parts?.organizationId === organizationId ? parts.id : undefined;
}

/** Each key has one spelling, with or without its padding. */
export function isBase64Url(text: string): boolean {
  const [, bare = '', padding = ''] = /^([\w-]+)(={0,2})$/.exec(text) ?? [];
  if (padding !== '' && (bare.length + padding.length) % 4 !== 0) return false;
  return bare !== '' && Buffer.from(bare, 'base64url').toString('base64url') === bare;
}
