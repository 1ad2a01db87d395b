import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { createRunFolder, endAbandonedRuns, endRunOf } from './support/leftovers.ts';

/**
 * `npm test`: every behaviour once. `npm run test:deep`: what takes long (`*.deep.test.ts`: crashes, volumes, paces, browsers), walks and
 * properties at full size, and the workers with their queue in PostgreSQL; `--random` gives it a new seed. Other arguments go to jest.
 */
const isDeep = process.argv.includes('--deep');
const isRandom = process.argv.includes('--random');
const args = process.argv.slice(2).filter((arg) => arg !== '--deep' && arg !== '--random');

type Part = { args: string[]; env?: Record<string, string> };
/** Those that measure how fast work is done run one after the other, with nothing beside them. */
const pace = '\\.pace\\.deep\\.test\\.ts$';
const deepParts: Part[] = [
  { args: ['--maxWorkers=2', '--testPathPatterns=\\.(deep|property|walk)\\.test\\.ts$', `--testPathIgnorePatterns=${pace}`] },
  {
    args: [
      '--maxWorkers=3',
      '--testPathPatterns=test/workers/(messaging|webhooks)/',
      '--testPathIgnorePatterns=\\.(deep|property)\\.',
    ],
    env: { KANAL_TEST_QUEUE: 'postgres' },
  },
  { args: ['--runInBand', `--testPathPatterns=${pace}`] },
];
const defaultParts: Part[] = [{ args: ['--maxWorkers=3', '--testPathIgnorePatterns=\\.deep\\.test\\.ts$'] }];
const parts = args.length > 0 ? [{ args }] : isDeep ? deepParts : defaultParts;

const seed = randomInt(2 ** 31);
if (isRandom) console.log(`Seed ${seed}; KANAL_TEST_SEED=${seed} repeats it.`);

await endAbandonedRuns();
const folder = createRunFolder();
const env = {
  ...process.env,
  TMPDIR: folder,
  KANAL_TEST_RUN: folder,
  ...(isDeep && { KANAL_TEST_DEEP: 'true' }),
  ...(isRandom && { KANAL_TEST_SEED: String(seed) }),
};
/** Jest's workers get it too. A test file makes much that lives for a moment: with room for it, less of the processor's time goes to collecting it. */
const memory = ['--max-semi-space-size=64'];
const jest = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');
let stop: ((signal: NodeJS.Signals) => void) | undefined;
let stoppedBy: NodeJS.Signals | undefined;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    stoppedBy = signal;
    stop?.(signal);
  });

for (const part of parts) {
  if (stoppedBy) break;
  // Away from the terminal's Ctrl-C, which would end servers before what uses them; the channel's end tells jest that its runner is dead.
  const child = spawn(process.execPath, [...memory, jest, ...part.args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...env, ...part.env },
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
