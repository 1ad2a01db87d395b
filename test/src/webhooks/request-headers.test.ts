import { describe, expect, test } from '@jest/globals';
import { forbiddenHeader, requestHeaders } from '../../../src/webhooks/request-headers.ts';

describe('forbiddenHeader', () => {
  test.each([
    'content-type',
    'Content-Type',
    'USER-AGENT',
    'host',
    'Content-Length',
    'content-encoding',
    'Transfer-Encoding',
    'connection',
    'webhook-id',
    'Webhook-Signature',
    'webhook-anything',
    '',
    'with space',
    'new\nline',
    'colon:',
    'ümlaut',
    'nul\0',
  ])('%p', (name) => {
    expect(forbiddenHeader(name)).toBe(true);
  });

  test.each(['authorization', 'X-Api-Key', 'x_under', 'accept', 'webhooks', 'x-webhook-id'])('not %p', (name) => {
    expect(forbiddenHeader(name)).toBe(false);
  });
});

describe('requestHeaders', () => {
  test('keeps what is free and the signature, sets its own, drops the rest', () => {
    const headers = requestHeaders({
      'webhook-id': 'evt_1',
      'Webhook-Id': 'forged',
      'WEBHOOK-SIGNATURE': 'forged',
      Authorization: 'Bearer x',
      'Content-Type': 'text/plain',
      'User-Agent': 'forged',
      Host: 'inner.example',
      'content-length': '1',
    });
    expect(headers).toEqual({
      'webhook-id': 'evt_1',
      authorization: 'Bearer x',
      'content-type': 'application/json',
      'user-agent': 'Kanal-Webhooks/1.0',
    });
  });
});
