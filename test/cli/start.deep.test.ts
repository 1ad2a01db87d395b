import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DemoFile } from '../../cli/start/demo-file.ts';
import { waitFor } from '../support/wait-for.ts';
import { allPids, isAlive, limitMs, logIn, pidIn, serverPid, startIn } from './started.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-start-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
/** The living processes: pid, process group and command line. */
const processes = () =>
  execFileSync('ps', ['-A', '-ww', '-o', 'pid=,pgid=,stat=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state && !state.startsWith('Z'))
    .map(([pid, group, , ...args]) => ({ pid, group, args: args.join(' ') }));

let first: DemoFile;
beforeAll(async () => {
  const started = startIn(home);
  first = await started.demo();
  started.child.kill('SIGINT');
  await started.ended;
}, limitMs);

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
