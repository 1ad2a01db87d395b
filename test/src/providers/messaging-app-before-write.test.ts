import { describe, expect, test } from '@jest/globals';
import { failedBeforeWrite } from '../../../src/providers/messaging-app/before-write.ts';

/** A fault as the HTTP client wraps it. */
const wrapped = (fault: object) => new Error('No answer', { cause: Object.assign(new Error('x'), fault) });
const phase = (event: string) => Object.assign(new Error('Timeout'), { event, code: 'ETIMEDOUT' });

describe('the connection was never made: nothing has left', () => {
  test.each([
    ['refused', wrapped({ code: 'ECONNREFUSED', syscall: 'connect' })],
    ['no way there', wrapped({ code: 'EHOSTUNREACH', syscall: 'connect' })],
    ['the system gave up connecting', wrapped({ code: 'ETIMEDOUT', syscall: 'connect' })],
    ['no such name', wrapped({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
    ['a certificate of somebody else', wrapped({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })],
    [
      'every address of the name',
      wrapped({
        code: 'ECONNREFUSED',
        errors: [
          { code: 'ECONNREFUSED', syscall: 'connect' },
          { code: 'ENETUNREACH', syscall: 'connect' },
        ],
      }),
    ],
    ['our time for connecting', phase('connect')],
    ['our time for the handshake', phase('secureConnect')],
  ])('%s', (_what, error) => {
    expect(failedBeforeWrite(error)).toBe(true);
  });
});

describe('the connection stood: the request may have arrived', () => {
  test.each([
    ['unreachable under way', wrapped({ code: 'EHOSTUNREACH', syscall: 'read' })],
    ['the network went while writing', wrapped({ code: 'ENETUNREACH', syscall: 'write' })],
    ['the system gave up waiting', wrapped({ code: 'ETIMEDOUT', syscall: 'read' })],
    ['reset', wrapped({ code: 'ECONNRESET', syscall: 'read' })],
    ['hung up', wrapped({ code: 'ECONNRESET' })],
    ['several errors, not all of connecting', wrapped({ errors: [{ syscall: 'connect' }, { syscall: 'write' }] })],
    ['several errors that are none', wrapped({ errors: [] })],
    ['our time for the whole', phase('request')],
    ['our time for a silent socket', phase('socket')],
    ['no cause at all', new Error('x')],
  ])('%s', (_what, error) => {
    expect(failedBeforeWrite(error)).toBe(false);
  });
});
