import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

const whole = (text: string) => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return text;
};

/** `npm run test:crash`: the crash matrix alone, with as many events and endpoints as wanted. */
const { only, ...sizes } = new Command('test:crash')
  .option('--events <n>', 'events, each to every endpoint', whole, '10000')
  .option('--endpoints <n>', 'endpoints, of each kind of receiver in turn', whole, '20')
  .option('--recovered <n>', 'failed deliveries that are recovered meanwhile', whole, '4000')
  .option('--faults <n>', 'kills, flushes and restarts', whole, '40')
  .option('--pause <ms>', 'longest time between two of them', whole, '8000')
  .option('--seed <n>', 'of a run that shall be repeated', whole)
  .option('--only <backend>', 'postgres or redis')
  .parse()
  .opts<Record<string, string>>();

const env = Object.fromEntries(Object.entries(sizes).map(([name, value]) => [`CRASH_${name.toUpperCase()}`, value]));
const { status } = spawnSync(
  process.execPath,
  [join(import.meta.dirname, 'run.ts'), 'test/crash/matrix/', '--verbose', ...(only ? ['-t', only] : [])],
  { stdio: 'inherit', env: { ...process.env, ...env } },
);
process.exitCode = status ?? 1;
