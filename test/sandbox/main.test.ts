import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';

function start(env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, ['sandbox/main.ts'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function firstLine(child: ChildProcess): Promise<{ msg: string; port: number; error?: string }> {
  const [line] = await once(createInterface({ input: child.stdout! }), 'line');
  return JSON.parse(line as string);
}

test.each(['SIGTERM', 'SIGINT'] as const)('starts, says its port and stops at %s', async (signal) => {
  const accounts = [{ waba_id: '1', phone_number_id: '2', display_phone_number: '+1 555', access_token: 't' }];
  const child = start({ SANDBOX_PORT: '0', ACCOUNTS: JSON.stringify(accounts) });
  const { msg, port } = await firstLine(child);
  expect(msg).toBe('sandbox listening');
  const response = await fetch(`http://127.0.0.1:${port}/2`, { headers: { authorization: 'Bearer t' } });
  expect(await response.json()).toMatchObject({ id: '2' });
  const exited = once(child, 'exit');
  child.kill(signal);
  expect(await exited).toEqual([0, null]);
});

test('a start with bad accounts says why and exits 1', async () => {
  const child = start({ SANDBOX_PORT: '0', ACCOUNTS: '[{}]' });
  const exited = once(child, 'exit');
  expect(await firstLine(child)).toMatchObject({ msg: 'sandbox cannot start', error: expect.stringContaining('waba_id') });
  expect(await exited).toEqual([1, null]);
});
