import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createRunFolder, endAbandonedRuns, endRunOf } from './support/leftovers.ts';

/**
 * `npm test`: every behaviour once. `npm run test:deep`: all that takes long (`*.deep.test.ts`: crashes, volumes, paces, browsers, full walks) and
 * the property tests with their full numbers of runs; `--random` gives these new seeds. Other arguments go to jest.
 */
const isDeep = process.argv.includes('--deep');
const isRandom = process.argv.includes('--random');
const args = process.argv.slice(2).filter((arg) => arg !== '--deep' && arg !== '--random');

/** Those that measure how fast work is done run one after the other, with nothing beside them. */
const pace = '\\.pace\\.deep\\.test\\.ts$';
const usual = isDeep
  ? [
      ['--maxWorkers=2', '--testPathPatterns=\\.(deep|property)\\.test\\.ts$', `--testPathIgnorePatterns=${pace}`],
      ['--runInBand', `--testPathPatterns=${pace}`],
    ]
  : [['--maxWorkers=3', '--testPathIgnorePatterns=\\.deep\\.test\\.ts$']];

await endAbandonedRuns();
const folder = createRunFolder();
const env = {
  ...process.env,
  TMPDIR: folder,
  KANAL_TEST_RUN: folder,
  ...(isDeep && { KANAL_TEST_DEEP: 'true' }),
  ...(isRandom && { KANAL_TEST_RANDOM: 'true' }),
};
const jest = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');
let stop: ((signal: NodeJS.Signals) => void) | undefined;
let stoppedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stoppedBy = signal;
    stop?.(signal);
  });

for (const each of args.length > 0 ? [args] : usual) {
  if (stoppedBy) break;
  // Away from the terminal's Ctrl-C, which would end servers before what uses them; the channel's end tells jest that its runner is dead.
  const child = spawn(process.execPath, [jest, ...each], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
    detached: true,
  });
  stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
  };
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  process.exitCode = process.exitCode || (code ?? 1);
}
await endRunOf(folder);
