import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newSecret, sign } from '../../../src/webhooks/signature.ts';
import { fc } from '../../support/fast-check.ts';

const now = () => Math.floor(Date.now() / 1000);

const headersOf = (id: string, timestamp: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

describe('newSecret', () => {
  test('is whsec_ and 32 random bytes', () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(secret);
  });
});

describe('sign', () => {
  test('an independent library accepts the signature of any text and of the same bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (body) => {
        const secret = newSecret();
        const timestamp = now();
        const signature = sign({ id: 'evt_1', timestamp, body, secrets: [secret] });
        expect(sign({ id: 'evt_1', timestamp, body: Buffer.from(body), secrets: [secret] })).toBe(signature);
        new Webhook(secret).verify(body, headersOf('evt_1', timestamp, signature), { jsonParse: false });
      }),
    );
  });

  test('signs as the independent library does', () => {
    const secret = newSecret();
    const timestamp = 1_700_000_000;
    expect(sign({ id: 'evt_1', timestamp, body: '{"a":1}', secrets: [secret] })).toBe(
      new Webhook(secret).sign('evt_1', new Date(timestamp * 1000), '{"a":1}'),
    );
  });

  test('during a rotation both the new and the old secret verify, a third does not', () => {
    const [current, previous, foreign] = [newSecret(), newSecret(), newSecret()];
    const timestamp = now();
    const signature = sign({ id: 'evt_1', timestamp, body: '{}', secrets: [current, previous] });
    expect(signature).toMatch(/^v1,\S+ v1,\S+$/);
    const headers = headersOf('evt_1', timestamp, signature);
    expect(new Webhook(current).verify('{}', headers)).toEqual({});
    expect(new Webhook(previous).verify('{}', headers)).toEqual({});
    expect(() => new Webhook(foreign).verify('{}', headers)).toThrow();
  });

  test('a changed body, id or time does not verify', () => {
    const secret = newSecret();
    const timestamp = now();
    const signature = sign({ id: 'evt_1', timestamp, body: '{"a":1}', secrets: [secret] });
    const webhook = new Webhook(secret);
    expect(() => webhook.verify('{"a":2}', headersOf('evt_1', timestamp, signature))).toThrow();
    expect(() => webhook.verify('{"a":1}', headersOf('evt_2', timestamp, signature))).toThrow();
    expect(() => webhook.verify('{"a":1}', headersOf('evt_1', timestamp - 1, signature))).toThrow();
  });

  test.each([
    ['no secret', { secrets: [] }],
    ['a secret without prefix', { secrets: [Buffer.alloc(32).toString('base64')] }],
    ['an empty secret', { secrets: ['whsec_'] }],
    ['a time in fractions', { timestamp: 1.5 }],
    ['a dot in the id', { id: 'evt.1' }],
  ])('refuses %s', (_name, wrong) => {
    expect(() => sign({ id: 'evt_1', timestamp: 1, body: '{}', secrets: [newSecret()], ...wrong })).toThrow(TypeError);
  });
});
