import { describe, expect, test } from '@jest/globals';
import { looksLike, newCredential } from '../../../src/platform/credentials.ts';

describe('a key', () => {
  test('is kk_, 32 random characters and 6 of checksum', () => {
    const keys = Array.from({ length: 200 }, () => newCredential('kk_'));
    for (const key of keys) {
      expect(key).toMatch(/^kk_[0-9A-Za-z]{38}$/);
      expect(looksLike('kk_', key)).toBe(true);
    }
    expect(new Set(keys).size).toBe(200);
  });

  test('with any character changed is none', () => {
    const key = newCredential('kk_');
    for (let place = 3; place < key.length; place += 1) {
      const changed = `${key.slice(0, place)}${key[place] === 'a' ? 'b' : 'a'}${key.slice(place + 1)}`;
      expect([place, looksLike('kk_', changed)]).toEqual([place, false]);
    }
    for (const other of ['', 'kk_', key.slice(1), `${key} `, `${key}0`]) expect(looksLike('kk_', other)).toBe(false);
  });
});
