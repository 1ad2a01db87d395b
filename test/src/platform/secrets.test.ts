import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createSecrets, equalsInConstantTime } from '../../../src/platform/secrets.ts';
import { fc } from '../../support/fast-check.ts';
import { testHashKey } from '../../support/secrets.ts';

const key = () => randomBytes(32).toString('base64');
const secretsWith = (secretKey: string) => createSecrets({ secretKey, hashKey: testHashKey });

describe('a sealed value', () => {
  test('opens to what was sealed, whatever it is', () => {
    const secrets = secretsWith(key());
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => secrets.open(secrets.seal(text)) === text));
  });

  test('is another one each time and holds nothing of the text', () => {
    const secrets = secretsWith(key());
    const [one, two] = [secrets.seal('the access token'), secrets.seal('the access token')];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.split('.')[3]!, 'base64url').toString()).not.toContain('access');
  });

  test('that was changed in any part does not open', () => {
    const secrets = secretsWith(key());
    const parts = secrets.seal('the access token').split('.');
    for (const place of [1, 2, 3]) {
      const bytes = Buffer.from(parts[place]!, 'base64url');
      bytes[0]! ^= 1;
      expect(() => secrets.open(parts.with(place, bytes.toString('base64url')).join('.'))).toThrow();
    }
  });

  test.each(['', 'x', 'a.b', 'a.b.c', 'a.b.c.d'])('%p is none', (sealed) => {
    expect(() => secretsWith(key()).open(sealed)).toThrow();
  });
});

describe('SECRET_KEY', () => {
  test('newest first: after a rotation old values open and new ones are sealed with the new key', () => {
    const [old, fresh] = [key(), key()];
    const before = secretsWith(old).seal('token');
    const rotated = secretsWith(`${fresh},${old}`);
    expect(rotated.open(before)).toBe('token');
    expect(secretsWith(fresh).open(rotated.seal('token'))).toBe('token');
    expect(() => secretsWith(old).open(rotated.seal('token'))).toThrow('SECRET_KEY does not hold');
  });

  test.each(['', 'short', randomBytes(16).toString('base64'), `${key()},`])(
    '%# is not a key, and the error does not repeat it',
    (bad) => {
      expect(() => secretsWith(bad)).toThrow(/is not base64 of 32 bytes/);
      try {
        secretsWith(bad);
      } catch (error) {
        if (bad) expect((error as Error).message).not.toContain(bad);
      }
    },
  );
});

test('a comparison takes texts of any length', () => {
  expect(equalsInConstantTime('a', 'a')).toBe(true);
  expect(equalsInConstantTime('a', 'b')).toBe(false);
  expect(equalsInConstantTime('a', 'aaaa')).toBe(false);
  expect(equalsInConstantTime('', '')).toBe(true);
});
