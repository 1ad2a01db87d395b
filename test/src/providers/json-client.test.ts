import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CalendarRefused, sortedAnswer } from '../../../src/providers/calendar/error-codes.ts';
import { googleCalendar } from '../../../src/providers/calendar/google.ts';
import type { EventContent } from '../../../src/providers/calendar/provider.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { createJsonClient, type JsonClient } from '../../../src/providers/json/client.ts';

let answer: (req: IncomingMessage, res: ServerResponse) => void;
const server = createServer((req, res) => answer(req, res));
let client: JsonClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/calendar/v3`;
  client = createJsonClient({ url, timeoutMs: 1_000, name: 'the calendar', sorted: sortedAnswer });
});
afterAll(async () => {
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const place = { calendarId: 'a#b@group', eventId: 'abcde' };
const content: EventContent = {
  summary: 'Massage',
  description: '',
  location: '',
  startsAt: '2030-01-01T09:00:00.000Z',
  endsAt: '2030-01-01T10:00:00.000Z',
  timezone: 'Asia/Jakarta',
  mark: 'booking',
  conference: { kind: 'ask', requestId: 'abcde' },
};
const insert = () => googleCalendar(client).insertEvent('token', place, content);
const read = () => googleCalendar(client).getEvent('token', place);
const faultOf = (call: Promise<unknown>) =>
  call.then(
    () => new Error('no fault'),
    (error: Error) => error,
  );

test('a request has its token, its version for video rooms, and an escaped calendar', async () => {
  let seen: { url?: string; authorization?: string; body: string } = { body: '' };
  answer = (req, res) => {
    let body = '';
    req.on('data', (chunk) => (body += chunk));
    req.on('end', () => {
      seen = { url: req.url, authorization: req.headers.authorization, body };
      res.end(JSON.stringify({ id: 'abcde', etag: '"1"', htmlLink: 'javascript:alert(1)' }));
    });
  };
  const event = await insert();
  expect(seen.url).toBe('/calendar/v3/calendars/a%23b%40group/events?conferenceDataVersion=1&sendUpdates=none');
  expect(seen.authorization).toBe('Bearer token');
  expect(JSON.parse(seen.body)).toMatchObject({
    id: 'abcde',
    extendedProperties: { private: { kanal_booking: 'booking' } },
    conferenceData: { createRequest: { requestId: 'abcde', conferenceSolutionKey: { type: 'hangoutsMeet' } } },
  });
  // An address that a person would click is https, or none.
  expect(event.url).toBe('');
});

test('HTML in place of JSON: unknown after a write, failed after a read', async () => {
  answer = (_req, res) => void res.end('<html>Sign in</html>');
  expect(await faultOf(insert())).toBeInstanceOf(ProviderUnknown);
  expect(await faultOf(read())).toBeInstanceOf(ProviderFailed);
});

test('JSON that is no event: it may have been made', async () => {
  answer = (_req, res) => void res.end('[1, 2]');
  expect(await faultOf(insert())).toBeInstanceOf(ProviderUnknown);
});

test('a redirect is not followed', async () => {
  const paths: unknown[] = [];
  answer = (req, res) => {
    paths.push(req.url);
    res.writeHead(302, { location: '/elsewhere' }).end();
  };
  expect(await faultOf(insert())).toBeInstanceOf(CalendarRefused);
  expect(paths).toHaveLength(1);
});

test('an answer of 100 MB is cut off, in bounded memory', async () => {
  let sent = 0;
  answer = (_req, res) => {
    const chunk = Buffer.alloc(256 * 1024, 32);
    const write = () => {
      while (sent < 100 * 1024 * 1024 && !res.destroyed) {
        sent += chunk.length;
        if (!res.write(chunk)) return void res.once('drain', write);
      }
      res.end();
    };
    write();
  };
  const before = process.memoryUsage().rss;
  const fault = await faultOf(insert());
  expect(fault).toBeInstanceOf(ProviderUnknown);
  expect(fault.message).toContain('larger than 2 MiB');
  expect(sent).toBeLessThan(50 * 1024 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 1024 * 1024);
});

test('no answer in time, and a connection that is cut', async () => {
  answer = () => {};
  expect(await faultOf(insert())).toBeInstanceOf(ProviderUnknown);
  answer = (req) => void req.socket.destroy();
  expect(await faultOf(insert())).toBeInstanceOf(ProviderUnknown);
  expect(await faultOf(read())).toBeInstanceOf(ProviderFailed);
});

test('nobody listens: it did not take effect', async () => {
  const away = createJsonClient({ url: 'http://127.0.0.1:1/', timeoutMs: 500, name: 'the calendar', sorted: sortedAnswer });
  expect(await faultOf(googleCalendar(away).insertEvent('token', place, content))).toBeInstanceOf(ProviderFailed);
  away.close();
});

test.each([
  ['7', 7_000],
  [new Date(Date.now() + 30_000).toUTCString(), 30_000],
])('Retry-After: %s is obeyed', async (header, ms) => {
  answer = (_req, res) => void res.writeHead(429, { 'retry-after': header }).end('{}');
  const fault = (await faultOf(insert())) as ProviderBusy;
  expect(fault).toBeInstanceOf(ProviderBusy);
  expect(Math.abs(fault.retryAfterMs - ms)).toBeLessThan(2_500);
});

test('a refusal carries no token', async () => {
  answer = (_req, res) => void res.writeHead(400).end('{"error":{"message":"no","errors":[{"reason":"invalid"}]}}');
  const fault = (await faultOf(googleCalendar(client).getEvent('secret-token', place))) as ProviderRefused;
  expect(fault).toBeInstanceOf(ProviderRefused);
  expect(JSON.stringify([fault, fault.stack, fault.message])).not.toContain('secret-token');
});
