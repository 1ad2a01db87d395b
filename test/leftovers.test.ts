import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createRunFolder, endAbandonedRuns, endRunOf } from './support/leftovers.ts';

/** A run with one process that would outlive it. */
function startRun() {
  const folder = createRunFolder();
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  writeFileSync(join(folder, 'pids', String(child.pid)), '');
  return { folder, child, ended };
}

test('the end of a run ends the processes that it started, and deletes its folder', async () => {
  const { folder, ended } = startRun();
  await endRunOf(folder);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(existsSync(folder)).toBe(false);
});

test('the next run ends one whose runner was killed, and none whose runner lives', async () => {
  const [living, abandoned] = [startRun(), startRun()];
  const runner = spawn('true');
  await once(runner, 'exit');
  writeFileSync(join(abandoned.folder, 'owner'), String(runner.pid));
  await endAbandonedRuns();
  expect(await abandoned.ended).toEqual([null, 'SIGKILL']);
  expect([existsSync(abandoned.folder), existsSync(living.folder), living.child.exitCode]).toEqual([false, true, null]);
  await endRunOf(living.folder);
  await living.ended;
});
