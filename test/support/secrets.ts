import { createSecrets } from '../../src/secrets.ts';

/** The SECRET_KEY of the tests: base64 of 32 bytes. */
export const testSecretKey = Buffer.alloc(32, 7).toString('base64');
export const testSecrets = createSecrets(testSecretKey);
