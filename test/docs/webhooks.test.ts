import { readFileSync } from 'node:fs';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { DELAYS_MS } from '../../src/webhooks/schedule.ts';
import { newSecret, sign } from '../../src/webhooks/signature.ts';
import { useApp } from '../support/app.ts';
import { freePort } from '../support/servers/child.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Vector, vectorsPath, vectorsText } from '../webhook-vectors.ts';
import { languages, type RunningExample, startExample, verdictsOf, writeExamples } from './webhook-examples.ts';

const app = useApp({ workers: true });
const examples = writeExamples();
let running: RunningExample | undefined;
afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => examples.remove());

const { vectors } = JSON.parse(readFileSync(vectorsPath, 'utf8')) as { vectors: Vector[] };
const wanted = vectors.map(({ valid, body }) => (valid ? JSON.parse(body) : null));
const namesOf = (verdicts: unknown[]) => vectors.filter((_, index) => verdicts[index] !== null).map(({ name }) => name);
const validNames = vectors.filter(({ valid }) => valid).map(({ name }) => name);

describe('docs/webhook-vectors.json', () => {
  test('is what `npm run vectors` writes', () => {
    expect(readFileSync(vectorsPath, 'utf8')).toBe(vectorsText());
  });

  test('has good and bad ones, each with a name of its own', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(validNames.length).toBeGreaterThan(5);
    expect(vectors.length - validNames.length).toBeGreaterThan(20);
  });

  test('our own signature is that of each valid one', () => {
    for (const { valid, name, headers, body, secret } of vectors) {
      if (!valid) continue;
      const timestamp = Number(headers['webhook-timestamp']);
      const own = sign({ id: headers['webhook-id']!, timestamp, body, secrets: [secret] });
      expect([name, headers['webhook-signature']!.split(' ')]).toEqual([name, expect.arrayContaining([own])]);
    }
  });

  test.each([
    ['standardwebhooks', ({ secret, body, headers }: Vector) => new StandardWebhook(secret).verify(body, headers)],
    ['svix', ({ secret, body, headers }: Vector) => new SvixWebhook(secret).verify(body, headers)],
  ])('%s takes the valid ones and refuses the others', (_name, verify) => {
    const verdicts = vectors.map((vector) => {
      const clock = jest.spyOn(Date, 'now').mockReturnValue(vector.now * 1000);
      try {
        return verify(vector);
      } catch {
        return null;
      } finally {
        clock.mockRestore();
      }
    });
    expect(namesOf(verdicts)).toEqual(validNames);
    expect(verdicts).toEqual(wanted);
  });
});

describe.each(languages())('the $name of docs/webhooks.md', (language) => {
  test('takes the valid vectors and refuses the others', () => {
    const verdicts = verdictsOf(language, examples.folder, vectors);
    expect(namesOf(verdicts)).toEqual(validNames);
    expect(verdicts).toEqual(wanted);
  });

  test('receives what Kanal delivers, once each, and refuses what is forged', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const endpoint = (await app.call('webhooks.endpoints.create', { body: { url, event_types: ['contact.created'] } })).body;
    running = await startExample(language, examples.folder, port, endpoint.secret);
    const { output } = running;

    const tested = await app.call('webhooks.endpoints.test', {
      params: { endpointID: endpoint.id },
      headers: { prefer: 'wait=20' },
    });
    expect(tested).toMatchObject({ status: 200, body: {} });
    expect(output()).toMatch(/^webhook\.test [0-9a-f-]{36}\s*$/m);
    await app.call('contacts.create', { body: { phone_number: `+${app.phone()}`, name: 'Žofie 💙' } });
    await waitFor('the event', () => /^contact\.created [0-9a-f-]{36}\s*$/m.test(output()));

    // It has the old secret still, and the overlap has begun.
    await app.call('webhooks.endpoints.rotate-secret', { params: { endpointID: endpoint.id } });
    await app.call('contacts.create', { body: { phone_number: `+${app.phone()}` } });
    await waitFor('the event of the overlap', () => output().match(/^contact\.created /gm)?.length === 2);

    const body = JSON.stringify({ id: 'evt_1', type: 'message.new', data: {} });
    const post = (secret: string) => {
      const timestamp = Math.floor(Date.now() / 1000);
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': sign({ id: 'evt_1', timestamp, body, secrets: [secret] }),
      };
      return fetch(url, { method: 'POST', headers, body });
    };
    expect((await post(newSecret())).status).toBe(400);
    expect(output()).not.toContain('message.new');
    expect((await post(endpoint.secret)).status).toBe(204);
    expect((await post(endpoint.secret)).status).toBe(204);
    await waitFor('its line', () => output().includes('message.new evt_1'));
    expect(output().match(/message\.new evt_1/g)).toHaveLength(1);
  });
});

describe('docs/webhooks.md', () => {
  const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

  test('has a verification and a receiver in each language', () => {
    expect(examples.names).toEqual(['verify.mjs', 'receiver.mjs', 'verify.py', 'receiver.py']);
  });

  test('its table of attempts is the schedule', () => {
    const [, cells] = /^\| after \|(.*)\|$/m.exec(page)!;
    const unit = { s: 1_000, min: 60_000, h: 3_600_000 };
    const delays = cells!.split('|').map((cell) => {
      const [, value, name] = /^(\d+) (s|min|h)$/.exec(cell.trim()) ?? [];
      return value ? Number(value) * unit[name as keyof typeof unit] : 0;
    });
    expect(delays).toEqual(DELAYS_MS);
  });

  test('its example is the first of the vectors', () => {
    const [{ headers, body }] = vectors as [Vector];
    for (const [name, value] of Object.entries(headers)) expect(page).toContain(`\n${name}: ${value}\n`);
    expect(page).toContain(`\n${body.slice(0, body.indexOf('"data":'))}"data":{…}}\n`);
  });

  test('its links lead to parts that are there', () => {
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) => `#${title!.toLowerCase().replaceAll(' ', '-')}`);
    for (const [, anchor] of page.matchAll(/\]\((#[^)]+)\)/g)) expect(anchors).toContain(anchor);
  });
});
