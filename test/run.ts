import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
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

async function run(args: string[], more: Record<string, string> = {}): Promise<number> {
  // Away from the terminal's Ctrl-C, which would end servers before what uses them; the channel's end tells jest that its runner is dead.
  const child = spawn(process.execPath, [...memory, jest, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...env, ...more },
    detached: true,
  });
  stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), 5_000).unref();
  };
  return (await new Promise<number | null>((resolve) => child.on('exit', resolve))) ?? 1;
}

/** In CI a few files that failed are run once more, alone: a change that breaks something breaks it then, too. They are named at the end. */
const maxRetriedFiles = 3;
const results = join(folder, 'results.json');

function failedFiles(): string[] {
  if (!existsSync(results)) return [];
  const { testResults } = JSON.parse(readFileSync(results, 'utf8')) as { testResults: { name: string; status: string }[] };
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

for (const part of parts) {
  if (stoppedBy) break;
  rmSync(results, { force: true });
  let code = await run(process.env.CI ? [...part.args, '--json', `--outputFile=${results}`] : part.args, part.env);
  const failed = code === 0 || stoppedBy ? [] : failedFiles();
  if (failed.length > 0 && failed.length <= maxRetriedFiles) {
    code = await run(['--runInBand', '--runTestsByPath', ...failed], part.env);
    if (code === 0) console.log(`Failed at first, passed alone: ${failed.join(', ')}`);
  }
  process.exitCode = process.exitCode || code;
}
await endRunOf(folder);
