import { describe, expect, test } from '@jest/globals';
import { domainOf, mailbox, parseMailUrl } from '../../../src/platform/config/mail-url.ts';

describe('MAIL_URL', () => {
  test.each([
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, isSecure: true, startTls: 'required' }],
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isSecure: false, startTls: 'required' }],
    ['smtp://mail.example.com:25/?tls=off', { host: 'mail.example.com', port: 25, isSecure: false, startTls: 'off' }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, isSecure: false, startTls: 'off' }],
    ['smtp://[::1]', { host: '::1', port: 587, isSecure: false, startTls: 'off' }],
    ['smtp://localhost?tls=required', { host: 'localhost', port: 587, isSecure: false, startTls: 'required' }],
    // A name that only begins like this machine's address is another machine's.
    ['smtp://127.0.0.1.example.com', { host: '127.0.0.1.example.com', port: 587, isSecure: false, startTls: 'required' }],
  ])('%s', (url, server) => {
    expect(parseMailUrl(url)).toEqual(server);
  });

  test('credentials are percent-decoded', () => {
    expect(parseMailUrl('smtps://a%40b.example:p%2Fw%3A@mail.example.com').credentials).toEqual({
      user: 'a@b.example',
      password: 'p/w:',
    });
  });

  test.each([
    'mail.example.com',
    'http://hunter2@mail.example.com',
    'smtp:///hunter2',
    'smtp://u:hunter2@mail.example.com/path',
    'smtp://u:hunter2@mail.example.com?logger=true',
    'smtp://u:hunter2@mail.example.com?tls=off&tls=off',
    'smtps://u:hunter2@mail.example.com?tls=off',
    'smtp://u:hunter2%@mail.example.com',
    'smtp://hunter2@mail.example.com',
    'smtp://u:hunter2@mail.example.com:99999',
  ])('%s is refused without being repeated', (url) => {
    expect(() => parseMailUrl(url)).toThrow(/^(?!.*(hunter2|mail\.example))/);
  });
});

describe('MAIL_FROM', () => {
  test.each([
    ['Kanal <no-reply@localhost>', 'localhost'],
    ['Büro für Post <a.b+c@mail.example.com>', 'mail.example.com'],
    ['no-reply@example.com', 'example.com'],
  ])('%s', (from, domain) => {
    expect([mailbox.test(from), domainOf(from)]).toEqual([true, domain]);
  });

  test.each([
    '',
    'Kanal',
    'a@b, c@d',
    'Kanal <a@b>, <c@d>',
    'Kanal\r\nBcc: x <a@b>',
    'Kanal <a@b\n>',
    'Kanal <a@b> more',
    '<a@b>@c',
  ])('not %j', (from) => {
    expect(mailbox.test(from)).toBe(false);
  });
});
