import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';

const whole = (text: string) => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('must be a whole number');
  return text;
};

const tests = ['matrix', 'messages', 'answers', 'flows', 'crm', 'commerce', 'campaigns', 'automations'];
const backends = ['postgres', 'redis'];

function parts(text: string): string[] {
  const names = text.split(',');
  if (names.some((name) => ![...tests, ...backends].includes(name)))
    throw new InvalidArgumentError(`must be of ${[...tests, ...backends].join(', ')}`);
  return names;
}

/** `npm run test:crash`: the crash tests that have sizes alone, as large as wanted. */
const { only, ...sizes } = new Command('test:crash')
  .option('--events <n>', 'of the matrix: events, each to every endpoint', whole, '10000')
  .option('--endpoints <n>', 'of the matrix: endpoints, of each kind of receiver in turn', whole, '20')
  .option('--recovered <n>', 'of the matrix: failed deliveries that are recovered meanwhile', whole, '4000')
  .option('--messages <n>', 'of messages: so many out, and as many in', whole, '10000')
  .option('--conversations <n>', 'of messages and answers: conversations that they are of', whole, '200')
  .option('--answers <n>', 'of answers to flows: so many, each to a message of its own', whole, '5000')
  .option('--flows <n>', 'of flows: flows that live their whole life', whole, '200')
  .option('--reminders <n>', 'of the matrix: reminders of tasks that are due within 10 seconds', whole, '1000')
  .option('--deals <n>', 'of crm: deals that are moved', whole, '50')
  .option('--moves <n>', 'of crm: moves, wins, losses and reopenings', whole, '2000')
  .option('--records <n>', 'of crm: records of which a field is indexed', whole, '1000000')
  .option('--orders <n>', 'of commerce: orders that are paid, booked and sent', whole, '500')
  .option('--buyers <n>', 'of commerce: drafts that become orders at once, of half as many pieces', whole, '200')
  .option('--recipients <n>', 'of campaigns: people that are written to', whole, '100000')
  .option('--pauses <n>', 'of campaigns: so often it is paused and resumed', whole, '10')
  .option('--runs <n>', 'of automations: contacts that are made, each of which a rule runs for', whole, '100000')
  .option(
    '--kills <n>',
    'of campaigns and automations: kills of workers and web; flushes and restarts come beside them',
    whole,
    '50',
  )
  .option('--faults <n>', 'of the matrix kills, flushes and restarts; of messages, flows, crm and commerce kills', whole, '40')
  .option('--pause <ms>', 'longest time between two of them', whole, '8000')
  .option('--seed <n>', 'of a run that shall be repeated', whole)
  .option(
    '--only <names>',
    'matrix, messages, answers, flows, crm, commerce, campaigns, automations, postgres, redis; comma-separated',
    parts,
    [],
  )
  .parse()
  .opts<Record<string, string> & { only: string[] }>();

const env = Object.fromEntries(Object.entries(sizes).map(([name, value]) => [`CRASH_${name.toUpperCase()}`, value]));
const chosen = (names: string[]) =>
  only.some((name) => names.includes(name)) ? only.filter((name) => names.includes(name)) : names;
const { status } = spawnSync(
  process.execPath,
  [
    join(import.meta.dirname, 'run.ts'),
    ...chosen(tests).map((name) => `test/crash/${name}/`),
    '--runInBand',
    '--verbose',
    '-t',
    chosen(backends).join('|'),
  ],
  { stdio: 'inherit', env: { KANAL_TEST_RANDOM: 'true', ...process.env, ...env } },
);
process.exitCode = status ?? 1;
