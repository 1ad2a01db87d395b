import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';

export type Secrets = {
  seal(text: string): string;
  open(sealed: string): string;
  /** HMAC-SHA-256 under HASH_KEY: recognizes the same text, and reveals nothing without the key. */
  hash(text: string): Buffer;
};

/** No retry mends it: the key is missing, or the value was changed. */
export class CannotOpen extends Error {}
/** Another process may have the key, or this one after its next start. */
export class KeyMissing extends CannotOpen {}

export type SecretKeys = { secretKey: string; hashKey: string };

/** Parses `base64,…`: the first key seals, all open. The error message never has the key. */
export function parseSecretKey(secretKey: string) {
  return secretKey.split(',').map((part, index) => {
    const key = Buffer.from(part.trim(), 'base64');
    if (key.length !== 32) throw new Error(`key ${index + 1} is not base64 of 32 bytes`);
    return { id: sha256(key).toString('hex').slice(0, 8), key };
  });
}

/** AES-256-GCM with the key's id in front: `id.iv.tag.text`, each part base64url. */
export function createSecrets({ secretKey, hashKey }: SecretKeys): Secrets {
  const hmacKey = createSecretKey(hashKey, 'base64');
  // Key objects: for bytes Node 24 throws and catches an error each time, a tenfold cost.
  const keys = parseSecretKey(secretKey).map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  const newest = keys[0]!;
  return {
    hash: (text) => createHmac('sha256', hmacKey).update(text).digest(),
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', newest.key, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [newest.id, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url'))].join('.');
    },
    open(sealed) {
      const [id, iv, tag, text] = sealed.split('.');
      const key = keys.find((candidate) => candidate.id === id);
      if (!key || !iv || !tag || text === undefined)
        throw new KeyMissing('A sealed value names a key that SECRET_KEY does not hold');
      const decipher = createDecipheriv('aes-256-gcm', key.key, Buffer.from(iv, 'base64url'));
      try {
        decipher.setAuthTag(Buffer.from(tag, 'base64url'));
        return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new CannotOpen('A sealed value was changed', { cause });
      }
    },
  };
}

export const sha256 = (text: string | Buffer): Buffer => hash('sha256', text, 'buffer');

export function equalsInConstantTime(left: string, right: string): boolean {
  const [a, b] = [sha256(left), sha256(right)];
  return timingSafeEqual(a, b);
}
