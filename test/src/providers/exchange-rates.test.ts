import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { ProviderFailed, ProviderRefused } from '../../../src/providers/errors.ts';
import { feedOfRates } from '../../../src/providers/exchange-rates/client.ts';
import { readFeed } from '../../../src/providers/exchange-rates/feed.ts';

const feed = (cubes: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><gesmes:Envelope xmlns:gesmes="http://example.com/a" xmlns="http://example.com/b"><Cube>${cubes}</Cube></gesmes:Envelope>`;
const day = (time: string, rates: string) => `<Cube time='${time}'>${rates}</Cube>`;
const usd = `<Cube currency='USD' rate='1.0842'/>`;

describe('the feed', () => {
  test('is read as it is published', () => {
    expect(readFeed(feed(day('2026-11-20', `${usd}<Cube currency="JPY" rate="163.25"/>`)))).toEqual({
      base: 'EUR',
      day: '2026-11-20',
      rates: [
        { currency: 'USD', rate: '1.0842' },
        { currency: 'JPY', rate: '163.25' },
      ],
    });
  });

  test('of many days counts the newest, wherever it stands', () => {
    const days = ['2026-11-18', '2026-11-20', '2026-11-19'].map((time) => day(time, usd)).join('');
    expect(readFeed(feed(days)).day).toBe('2026-11-20');
  });

  test.each(['0', '0.00', '-1', '1e3', 'N/A', '', '1,08', '1.0000000000001', ' 1'])('leaves out the rate %j', (rate) => {
    const { rates } = readFeed(feed(day('2026-11-20', `${usd}<Cube currency='GBP' rate='${rate}'/>`)));
    expect(rates).toEqual([{ currency: 'USD', rate: '1.0842' }]);
  });

  test.each([
    ['nothing', ''],
    ['no XML', 'rates: none'],
    ['a page', '<html><body>Moved</body></html>'],
    ['a broken end', feed(day('2026-11-20', usd)).slice(0, -20)],
    ['no day', feed(usd)],
    ['a day without rates', feed(day('2026-11-20', ''))],
    ['a day that is none', feed(day('today', usd))],
    [
      'an entity of its own',
      `<!DOCTYPE x [<!ENTITY a "1.0842">]>${feed(day('2026-11-20', `<Cube currency='USD' rate='&a;'/>`)).slice(38)}`,
    ],
  ])('that is %s fails', (_what, text) => {
    expect(() => readFeed(text)).toThrow(ProviderFailed);
  });
});

describe('asked over HTTP', () => {
  let server: Server;
  let url: string;
  let asked = 0;
  let answer: (reply: ServerResponse) => void;
  beforeAll(async () => {
    server = createServer((_request, reply) => {
      asked += 1;
      answer(reply);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  });
  afterEach(() => {
    asked = 0;
    server.closeAllConnections();
  });
  afterAll(() => new Promise((done) => server.close(done)));

  const client = (timeoutMs = 5_000) => feedOfRates({ url, timeoutMs });

  test('many jobs ask once', async () => {
    answer = (reply) => void reply.end(feed(day('2026-11-20', usd)));
    const rates = client();
    const all = await Promise.all(Array.from({ length: 20 }, () => rates.latest()));
    expect(new Set(all.map(({ day }) => day))).toEqual(new Set(['2026-11-20']));
    await rates.latest();
    expect(asked).toBe(1);
  });

  test('a failure is not kept: the next one asks again', async () => {
    const rates = client();
    answer = (reply) => void reply.writeHead(503).end();
    await expect(rates.latest()).rejects.toThrow(ProviderFailed);
    answer = (reply) => void reply.end(feed(day('2026-11-20', usd)));
    expect((await rates.latest()).day).toBe('2026-11-20');
    expect(asked).toBe(2);
  });

  test.each([
    [404, ProviderRefused],
    [403, ProviderRefused],
    [302, ProviderRefused],
    [204, ProviderRefused],
    [408, ProviderFailed],
    [429, ProviderFailed],
    [500, ProviderFailed],
    [503, ProviderFailed],
  ])('the status %i is sorted', async (status, kind) => {
    answer = (reply) => void reply.writeHead(status, { location: url }).end();
    await expect(client().latest()).rejects.toThrow(kind);
    expect(asked).toBe(1);
  });

  test('one that never answers, or that breaks off, is tried again', async () => {
    answer = () => {};
    await expect(client(200).latest()).rejects.toThrow(ProviderFailed);
    answer = (reply) => {
      reply.writeHead(200, { 'content-length': '1000' });
      reply.write('<?xml');
      setImmediate(() => reply.destroy());
    };
    await expect(client().latest()).rejects.toThrow(ProviderFailed);
  });

  test('one that is larger than a feed can be is not read to its end', async () => {
    let sent = 0;
    answer = (reply) => {
      reply.writeHead(200);
      const more = () => {
        while (!reply.destroyed && sent < 64 * 1024 * 1024) {
          sent += 65_536;
          if (!reply.write(Buffer.alloc(65_536, ' '))) {
            reply.once('drain', more);
            return;
          }
        }
      };
      more();
    };
    await expect(client(20_000).latest()).rejects.toThrow(ProviderRefused);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});
