import { createSecrets } from '../../src/platform/secrets.ts';

/** SECRET_KEY and HASH_KEY of the tests: base64 of 32 bytes each. */
export const testSecretKey = Buffer.alloc(32, 7).toString('base64');
export const testHashKey = Buffer.alloc(32, 8).toString('base64');
export const testSecrets = createSecrets({ secretKey: testSecretKey, hashKey: testHashKey });
