import { mkdirSync } from 'node:fs';
import { command, count, flags, rounds, seconds } from './command.ts';
import { assertNone, ledgerFindings } from './ledger-check.ts';
import { longTablesReport } from './long/report.ts';
import { longTables } from './long/run.ts';
import { sizesOf } from './long/sizes.ts';
import { describeRun } from './machine.ts';
import { measureInTurns } from './measure.ts';
import { paths } from './paths/index.ts';
import { profile } from './processes.ts';
import { type Measured, summaryOf, tableOf } from './report.ts';
import { scales } from './scales.ts';
import { singles } from './singles.ts';
import { type BackendName, openStage } from './stage.ts';

const partsOfLong = command.args.includes('long') ? ['lists', 'chores', 'purges'] : [];
const known = new Set(['long', ...partsOfLong, ...[...paths, ...singles, ...scales].map(({ name }) => name)]);
const unknown = command.args.filter((name) => !known.has(name));
if (unknown.length > 0) command.error(`There is no bench ${unknown.join(', ')}: --help names them`);

if (flags.profile) {
  mkdirSync(flags.profile, { recursive: true });
  for (const file of ['api/main.ts', 'workers/main.ts']) profile(file, flags.profile);
}

console.log(describeRun());
const wanted = command.args.length > 0 ? paths.filter(({ name }) => command.args.includes(name)) : paths;
const title = (backend: BackendName) => `\n## ${backend === 'redis' ? 'Redis' : 'PostgreSQL'} backend\n`;

const scale = scales.find(({ name }) => command.args.includes(name));
if (scale) {
  // What carries the jobs has no part in it.
  const stage = await openStage('postgres');
  const { report, walks, findings } = await scale
    .measure(stage)
    .then(async (found) => ({ ...found, findings: await ledgerFindings(stage.kanal, scale.name) }))
    .finally(() => stage.close());
  console.log(`\n## ${scale.title}\n\n${report}`);
  if (walks.length > 0) throw new Error(`These read a whole table: ${walks.join(', ')}`);
  assertNone(findings);
  process.exit();
}

const single = singles.find(({ name }) => command.args.includes(name));
const isLong = single?.isLong && command.getOptionValueSource('backend') === 'default';
const named = flags.backend === 'both' ? ['redis', 'postgres'] : [flags.backend];
const backends = single?.backend ? [single.backend] : isLong ? ['redis'] : named;

if (command.args.includes('long')) {
  const [events, failed, organizations] = [Number(flags.events), Number(flags.failed), Number(flags.organizations)];
  const messages = flags.messages ? Number(flags.messages) : undefined;
  const sizes = sizesOf({ messages, events, failed, organizations, small: flags.small });
  const isNamed = command.getOptionValueSource('backend') !== 'default';
  const backend = isNamed ? (flags.backend as BackendName) : 'redis';
  const only = command.args.filter((name) => name !== 'long');
  const result = await longTables({ backend, sizes, only, rounds, seconds, count, minutes: Number(flags.minutes) });
  console.log(`\n## Long tables\n\n${longTablesReport(result)}`);
  assertNone(result.findings);
  process.exit();
}

const countOf = (path: string) => (path === 'automation-runs' ? Number(flags.runs ?? count) : count);

/** Shown last: what was measured took long to get. */
const findings: string[] = [];

for (const backend of backends as BackendName[]) {
  const stage = await openStage(backend, { settings: single?.settings, isTwin: single?.isTwin });
  const measured: Measured[] = [];
  try {
    if (single) {
      console.log(`${title(backend)}\n${await single.report(stage)}`);
      findings.push(...(await ledgerFindings(stage.kanal, single.name)));
      continue;
    }
    for (const path of wanted) {
      const result = await measureInTurns(path, stage, rounds, { seconds, count: countOf(path.name) });
      measured.push(result);
      console.error(`${backend} ${path.name}: ${summaryOf(result).ratio.toFixed(2)}`);
      findings.push(...(await ledgerFindings(stage.kanal, path.name)));
    }
  } finally {
    await stage.close();
  }
  console.log(`${title(backend)}\n${tableOf(measured)}`);
}
assertNone(findings);
