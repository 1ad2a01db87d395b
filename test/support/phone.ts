import { createPublicKey, webcrypto } from 'node:crypto';

const { subtle } = webcrypto;
type Key = Awaited<ReturnType<typeof subtle.importKey>>;

/** A request as the provider passes it on, and what opens its reply. */
export interface PhoneRequest {
  body: { encrypted_flow_data: string; encrypted_aes_key: string; initial_vector: string };
  /** Rejects for a text that is not the reply to this request. */
  open(reply: string): Promise<unknown>;
}

const base64 = (bytes: ArrayBuffer | Uint8Array) => Buffer.from(bytes as Uint8Array).toString('base64');

/** What a phone says to the endpoint of a flow: under an AES-128 key of its own, which RSA-OAEP carries. */
export async function phoneRequest(publicKeyPem: string, request: object): Promise<PhoneRequest> {
  const aes = webcrypto.getRandomValues(new Uint8Array(16));
  const iv = webcrypto.getRandomValues(new Uint8Array(16));
  const key = await subtle.importKey('raw', aes, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const data = await subtle.encrypt({ name: 'AES-GCM', iv, tagLength: 128 }, key, Buffer.from(JSON.stringify(request)));
  return {
    body: {
      encrypted_flow_data: base64(data),
      encrypted_aes_key: base64(await subtle.encrypt({ name: 'RSA-OAEP' }, await publicKeyOf(publicKeyPem), aes)),
      initial_vector: base64(iv),
    },
    async open(reply) {
      const inverted = iv.map((byte) => byte ^ 0xff);
      const text = await subtle.decrypt({ name: 'AES-GCM', iv: inverted, tagLength: 128 }, key, Buffer.from(reply, 'base64'));
      return JSON.parse(Buffer.from(text).toString('utf8'));
    },
  };
}

function publicKeyOf(pem: string): Promise<Key> {
  const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
  return subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt']);
}
