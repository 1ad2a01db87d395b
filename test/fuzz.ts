import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

const whole = (text: string) => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return text;
};

/** `npm run fuzz`: the fuzz test alone, with as many requests an operation as wanted. */
const { runs, seed, only } = new Command('fuzz')
  .option('--runs <n>', 'requests of each operation', whole, '2000')
  .option('--seed <n>', 'of a run that shall be repeated', whole)
  .option('--only <pattern>', 'operations by their ids')
  .parse()
  .opts<{ runs: string; seed?: string; only?: string }>();

const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), 'test/api/fuzz.walk.test.ts', '--verbose'], {
  stdio: 'inherit',
  env: {
    KANAL_TEST_RANDOM: 'true',
    ...process.env,
    FUZZ_RUNS: runs,
    ...(seed && { FUZZ_SEED: seed }),
    ...(only && { FUZZ_ONLY: only }),
  },
});
process.exitCode = status ?? 1;
