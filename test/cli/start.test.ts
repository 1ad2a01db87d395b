import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { DemoFile } from '../../cli/start/demo-file.ts';
import { readExposition } from '../support/prometheus.ts';
import { waitFor } from '../support/wait-for.ts';
import { command } from './command.ts';
import { allPids, errorLines, isAlive, limitMs, logIn, type Started, startIn } from './started.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-start-'));
let started: Started;
let demo: DemoFile;
beforeAll(async () => {
  started = startIn(home);
  demo = await started.demo();
}, limitMs);
afterAll(() => rmSync(home, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;
const headersOf = ({ api_key }: DemoFile) => ({ 'x-api-key': api_key, 'content-type': 'application/json' });

async function rows(statement: string) {
  const client = new pg.Client({ connectionString: demo.database_url });
  await client.connect();
  const { rows: found } = await client.query(statement);
  await client.end();
  return found;
}

/** Which process gives its metrics there; else the status. */
async function processAt(url: string, token: string) {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return reply.ok
    ? readExposition(await reply.text()).samples.find(({ name }) => name === 'kanal_build_info')?.labels.process
    : reply.status;
}

test('everything starts, with a demo organization whose owner can log in', async () => {
  expect(demo).toEqual({
    base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    docs_url: `${demo.base_url}/docs`,
    sandbox_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    api_key: expect.stringMatching(/^kk_/),
    user: { email: 'demo@kanal.test', password: expect.stringMatching(/^[0-9A-Za-z]{24}$/) },
    organization_id: expect.any(String),
    channel: {
      id: expect.any(String),
      phone_number_id: expect.any(String),
      waba_id: expect.any(String),
      access_token: expect.any(String),
    },
    contact: { id: expect.any(String), phone: expect.stringMatching(/^\+\d+$/) },
    conversation: { id: expect.any(String) },
    template: { name: 'hello_kanal', language: 'en_US' },
    pipeline: { id: expect.any(String), stage_id: expect.any(String) },
    deal: { id: expect.any(String) },
    company: { id: expect.any(String) },
    task: { id: expect.any(String) },
    flow: { id: expect.any(String) },
    connections: Object.fromEntries(['google', 'zoom', 'biteship', 'stripe'].map((provider) => [provider, expect.any(String)])),
    product: { id: expect.any(String), variant_id: expect.any(String) },
    service: { id: expect.any(String), variant_id: expect.any(String), staff_id: expect.any(String) },
    delivery_method: { id: expect.any(String) },
    segment: { id: expect.any(String) },
    campaign: { id: expect.any(String) },
    rule: { id: expect.any(String), keyword: 'price' },
    bull_board: { url: `${demo.base_url}/ops/queues`, user: 'operator', password: expect.any(String) },
    metrics: {
      url: `${demo.base_url}/metrics`,
      worker_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/),
      token: expect.stringMatching(/^[\w-]{32}$/),
    },
    database_url: expect.stringMatching(/^postgres:/),
  });
  expect([mode(home), mode(join(home, 'demo.json')), mode(join(home, 'kept.json'))]).toEqual([0o700, 0o600, 0o600]);
  expect((await fetch(`${demo.base_url}/readyz`)).status).toBe(200);
  expect((await fetch(demo.docs_url)).headers.get('content-type')).toMatch(/^text\/html/);
  expect(started.output()).toContain(demo.docs_url);
  const document = await (await fetch(`${demo.base_url}/openapi.json`)).text();
  for (const id of [demo.organization_id, demo.channel.id, demo.contact.id]) expect(document).toContain(`"${id}"`);
  expect(started.output()).toContain(`${demo.user.email} / ${demo.user.password}`);
  expect(await logIn(demo)).toEqual([200, { organization_id: demo.organization_id, role: 'owner' }]);
  expect(started.output().match(/^ {2}curl /gm)).toHaveLength(3);
});

test(
  'a text to the demo contact is read, and so is the test message of its channel',
  async () => {
    const sent = await fetch(`${demo.base_url}/v1/messages`, {
      method: 'POST',
      headers: headersOf(demo),
      body: JSON.stringify({ channel_id: demo.channel.id, to: demo.contact.phone, type: 'text', text: { body: 'Hello' } }),
    });
    expect(sent.status).toBe(201);
    const id = await idOf(sent);
    await waitFor('the message to be read', async () => (await statusOf(demo, id)) === 'read', limitMs);

    const test = () =>
      fetch(`${demo.base_url}/v1/channels/${demo.channel.id}/test`, {
        method: 'POST',
        headers: headersOf(demo),
        body: JSON.stringify({ to: demo.contact.phone }),
      });
    // Its templates come with a job.
    const tested = await waitFor('the test message', async () => {
      const answer = await test();
      return answer.status === 201 ? answer : undefined;
    });
    const testId = await idOf(tested);
    await waitFor('the test message to be read', async () => (await statusOf(demo, testId)) === 'read', limitMs);
  },
  limitMs,
);

test('the first deal has its amount in the home currency', async () => {
  const deal = await fetch(`${demo.base_url}/v1/crm/deals/${demo.deal.id}`, { headers: headersOf(demo) });
  const { amount_in_home_currency: worth } = (await deal.json()) as { amount_in_home_currency: string | null };
  expect(worth).toMatch(/^\d+\.\d\d$/);
});

test('web and worker have metrics for the holder of the token', async () => {
  expect(await processAt(demo.metrics.url, demo.metrics.token)).toBe('web');
  expect(await processAt(demo.metrics.worker_url, demo.metrics.token)).toBe('worker');
  expect(await processAt(demo.metrics.url, 'another token')).toBe(401);
});

test(
  'the demo tells the whole conversation in order, and leaves no endpoint behind',
  async () => {
    const { code, stdout, stderr } = await command(['demo'], { KANAL_HOME: home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const chapters = stdout.split(/^(?=\d {2})/m);
    expect(chapters).toHaveLength(8);
    const [, endpoint, question, text, again, template, reply, won] = chapters;
    expect(endpoint).toMatch(/your app → Kanal +POST \/v1\/settings.*\n.*Kanal +→ your app +201/);
    expect(question).toMatch(/contact +→ provider +"Hello.*\n.*Kanal +→ your app +message\.new +✓ signature right/);
    for (const sent of [text, template]) {
      expect(sent).toMatch(/your app → Kanal +POST \/v1\/messages/);
      expect(sent).toMatch(/Kanal +→ your app +201 queued/);
      expect(sent).toMatch(/Kanal +→ provider +POST \/\d+\/messages +answered 200/);
      expect(sent).toMatch(/message\.sent +✓ signature right[\s\S]*message\.status_update read +✓ signature right/);
      expect(sent).toMatch(/the message is read/);
    }
    expect(again).toMatch(/the same Idempotency-Key\n.*201 message .*Idempotent-Replayed: true/);
    expect(reply).toMatch(/message\.new [\s\S]*503 [\s\S]*tries again[\s\S]*message\.new +✓ signature right, the same webhook/);
    expect(won).toMatch(/201 open[\s\S]*200 won[\s\S]*deal\.closed won +✓ signature right/);
    expect(won).toContain('All of it arrived');
    for (const link of [demo.bull_board.url, demo.docs_url]) expect(won).toContain(link);
    for (const chapter of chapters.slice(1)) {
      const times = [...chapter.matchAll(/^ *(\d+) ms /gm)].map(([, ms]) => Number(ms));
      expect(times).toEqual([...times].sort((one, other) => one - other));
    }
    // No terminal: not one escape.
    expect(stdout).not.toContain('\u001b');
    expect(await rows('select id from webhook_endpoints where deleted_at is null')).toEqual([]);
    expect(await rows(`select id from jobs where subject_type = 'webhook_delivery'`)).toEqual([]);
  },
  limitMs,
);

test(
  'SIGINT stops all of it in order',
  async () => {
    const pids = allPids(home);
    started.child.kill('SIGINT');
    expect(await started.ended).toEqual({ code: 0, signal: null });
    expect(started.output().match(/^stopped .*/gm)).toEqual([
      'stopped web',
      'stopped worker',
      'stopped sandbox',
      'stopped database',
    ]);
    expect(errorLines(home)).toEqual([]);
    expect(pids.filter(isAlive)).toEqual([]);
  },
  limitMs,
);

const idOf = async (answer: Response) => ((await answer.json()) as { id?: string; data?: { id: string } }).data?.id;

async function statusOf(demo: DemoFile, id: string | undefined): Promise<string> {
  const answer = await fetch(`${demo.base_url}/v1/messages/${id}`, { headers: headersOf(demo) });
  return ((await answer.json()) as { data: { status: string } }).data.status;
}
