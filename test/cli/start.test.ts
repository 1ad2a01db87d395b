import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { DemoFile } from '../../cli/start/demo-file.ts';
import { readExposition } from '../support/prometheus.ts';
import { waitFor } from '../support/wait-for.ts';
import { allPids, errorLines, isAlive, limitMs, pidIn, serverPid, startIn } from './started.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-start-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
/** The living processes: pid, process group and command line. */
const processes = () =>
  execFileSync('ps', ['-A', '-ww', '-o', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state && !state.startsWith('Z'))
    .map(([pid, group, , ...args]) => ({ pid, group, args: args.join(' ') }));
const mode = (path: string) => statSync(path).mode & 0o777;
const headersOf = ({ api_key }: DemoFile) => ({ 'x-api-key': api_key, 'content-type': 'application/json' });

/** Which process gives its metrics there; else the status. */
async function processAt(url: string, token: string) {
  const reply = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  return reply.ok
    ? readExposition(await reply.text()).samples.find(({ name }) => name === 'kanal_build_info')?.labels.process
    : reply.status;
}

let first: DemoFile;

test(
  'everything starts, a text to the demo contact is read, and SIGINT stops all of it in order',
  async () => {
    const started = startIn(home);
    const demo = await started.demo();
    first = demo;
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

    expect(await processAt(demo.metrics.url, demo.metrics.token)).toBe('web');
    expect(await processAt(demo.metrics.worker_url, demo.metrics.token)).toBe('worker');
    expect(await processAt(demo.metrics.url, 'another token')).toBe(401);

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

test(
  'a killed start leaves processes that the next one ends, and a database that it uses',
  async () => {
    // As a home of before there were people has it. The database knows the user with another password then.
    const { userPassword: _, ...kept } = JSON.parse(readFileSync(join(home, 'kept.json'), 'utf8'));
    writeFileSync(join(home, 'kept.json'), JSON.stringify(kept));
    const killed = startIn(home);
    const demo = await killed.demo();
    expect(demo).toMatchObject({ api_key: first.api_key, channel: first.channel, contact: first.contact, flow: first.flow });
    expect(demo.user.password).not.toBe(first.user.password);
    expect((await logIn({ ...demo, user: first.user }))[0]).toBe(401);
    expect((await logIn(demo))[0]).toBe(200);
    const left = ['web', 'worker', 'sandbox'].map((name) => pidIn(home, name));
    const database = serverPid(home);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(left.every(isAlive)).toBe(true);

    const next = startIn(home);
    expect(await next.demo()).toMatchObject({ api_key: first.api_key, database_url: demo.database_url, user: demo.user });
    expect(left.filter(isAlive)).toEqual([]);
    expect(serverPid(home)).toBe(database);

    const refused = startIn(home);
    expect(await refused.ended).toMatchObject({ code: 1 });
    expect(refused.output()).toMatch(/^Kanal is already running here \(process \d+\)\n$/);

    const pids = allPids(home);
    next.child.kill('SIGTERM');
    expect(await next.ended).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
  },
  limitMs,
);

test(
  '--reset begins anew; a part that dies is started again; a second signal ends everything at once',
  async () => {
    const started = startIn(home, '--reset');
    const demo = await started.demo();
    expect(demo.api_key).not.toBe(first.api_key);
    const worker = pidIn(home, 'worker');
    process.kill(worker, 'SIGKILL');
    await waitFor(
      'another worker',
      () => existsSync(join(home, 'run', 'worker.json')) && pidIn(home, 'worker') !== worker,
      limitMs,
    );
    expect(started.output()).toContain('worker ended unexpectedly (SIGKILL)');

    const pids = allPids(home);
    // A web process that hears nothing would keep the orderly stop waiting.
    process.kill(pidIn(home, 'web'), 'SIGSTOP');
    started.child.kill('SIGINT');
    await waitFor('the stop to begin', () => started.output().includes('stopping'), limitMs);
    // A signal right after the first is taken for the same one.
    const again = setInterval(() => started.child.kill('SIGINT'), 500);
    expect(await started.ended).toEqual({ code: 130, signal: null });
    clearInterval(again);
    await waitFor('all of them to be gone', () => !pids.some(isAlive), limitMs);
  },
  limitMs,
);

test(
  'Ctrl-C while the database is made ends all of it, and the next start begins anew',
  async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'kanal-start-'));
    const broken = startIn(fresh);
    await waitFor('initdb', () => existsSync(join(fresh, 'postgres', 'data.new', 'base')), limitMs);
    const initdb = processes().find(({ args }) => args.includes(`--pgdata=${fresh}`))!;
    // Standing still it is surely not done by itself. A child of initdb that lives on writes into what the next start wants to delete.
    process.kill(-Number(initdb.pid), 'SIGSTOP');
    broken.child.kill('SIGINT');
    expect(await broken.ended).toEqual({ code: 0, signal: null });
    await waitFor('all of initdb to be gone', () => !processes().some(({ group }) => group === initdb.pid));

    const next = startIn(fresh);
    await next.demo();
    next.child.kill('SIGINT');
    expect(await next.ended).toEqual({ code: 0, signal: null });
    rmSync(fresh, { recursive: true });
  },
  limitMs,
);

/** The status of a login, and where and what the user is then. */
async function logIn({ base_url, user }: DemoFile): Promise<[number, object?]> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base_url}/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(user) });
  if (!answer.ok) return [answer.status];
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  const me = await fetch(`${base_url}/v1/auth/me`, { headers: { cookie } });
  const { organization_id, role } = ((await me.json()) as { data: { organization_id: string; role: string } }).data;
  return [answer.status, { organization_id, role }];
}

const idOf = async (answer: Response) => ((await answer.json()) as { id?: string; data?: { id: string } }).data?.id;

async function statusOf(demo: DemoFile, id: string | undefined): Promise<string> {
  const answer = await fetch(`${demo.base_url}/v1/messages/${id}`, { headers: headersOf(demo) });
  return ((await answer.json()) as { data: { status: string } }).data.status;
}
