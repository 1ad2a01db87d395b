import { constants, createCipheriv, createDecipheriv, publicEncrypt, randomBytes } from 'node:crypto';

/** One request of a phone to the endpoint of a flow, and the keys to read the reply. */
export interface Sealed {
  body: { encrypted_flow_data: string; encrypted_aes_key: string; initial_vector: string };
  aesKey: Buffer;
  iv: Buffer;
}

const tagBytes = 16;

/** AES-128-GCM under a key that only the owner of the public key can read (RSA-OAEP, SHA-256). */
export function seal(publicKey: string, payload: object): Sealed {
  const [aesKey, iv] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-128-gcm', aesKey, iv);
  const data = Buffer.concat([cipher.update(JSON.stringify(payload), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  const key = { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  return {
    body: {
      encrypted_flow_data: data.toString('base64'),
      encrypted_aes_key: publicEncrypt(key, aesKey).toString('base64'),
      initial_vector: iv.toString('base64'),
    },
    aesKey,
    iv,
  };
}

/** The reply is sealed with the same key, under the inverted vector. Throws for what was not sealed so. */
export function unseal(text: string, { aesKey, iv }: Pick<Sealed, 'aesKey' | 'iv'>): unknown {
  const bytes = Buffer.from(text, 'base64');
  const inverted = Buffer.from(iv.map((byte) => byte ^ 0xff));
  const decipher = createDecipheriv('aes-128-gcm', aesKey, inverted, { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString('utf8'));
}
