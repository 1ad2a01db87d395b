import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { bodies, bodiesReport } from './bodies.ts';
import { contactsReport, contactsScale } from './contacts/scale.ts';
import { importBench, importReport } from './import.ts';
import { loginStorm, loginStormReport } from './login-storm.ts';
import { describeRun } from './machine.ts';
import { paths } from './paths/index.ts';
import { profile } from './processes.ts';
import { type Measured, summaryOf, tableOf } from './report.ts';
import { soak, soakReport } from './soak.ts';
import { type BackendName, openStage } from './stage.ts';

type Flags = {
  backend: string;
  rounds: string;
  seconds: string;
  count: string;
  messages: string;
  contacts: string;
  rows: string;
  only?: string;
  profile?: string;
};

const soakName = 'memory';
const stormName = 'login-storm';
const scaleName = 'contacts';
const importName = 'import';
const bodiesName = 'bodies';

/** `npm run bench -- get post`: ours and its floor alternately, medians of the rounds. */
const command = new Command('bench')
  .argument(
    '[paths...]',
    `of: ${paths.map(({ name }) => name).join(', ')}; none: all. Kanal alone: ${soakName}, over many messages; ${stormName}, GET beside many logins; ${scaleName}, reads of an organization of a million and one of ten thousand; ${importName}, contacts from a file beside COPY; ${bodiesName}, the CPU that refused bodies cost`,
  )
  .option('--backend <names>', 'redis, postgres or both', 'both')
  .option('--rounds <n>', 'rounds of each side', '5')
  .option('--seconds <n>', 'length of a round under load', '5')
  .option('--count <n>', 'messages or webhooks of a round of one worker', '4000')
  .option('--messages <n>', `messages of ${soakName}`, '100000')
  .option('--contacts <n>', `contacts of the large organization of ${scaleName}`, '1000000')
  .option('--rows <n>', `contacts of ${importName}`, '200000')
  .option('--only <pattern>', `bodies of ${bodiesName} by their names`)
  .option('--profile <directory>', "writes our processes' CPU profiles there")
  .parse();

const flags = command.opts<Flags>();
const [rounds, seconds, count] = [Number(flags.rounds), Number(flags.seconds), Number(flags.count)];
const wanted = command.args.length > 0 ? paths.filter(({ name }) => command.args.includes(name)) : paths;
if (flags.profile) {
  mkdirSync(flags.profile, { recursive: true });
  for (const file of ['api/main.ts', 'workers/main.ts']) profile(file, flags.profile);
}

console.log(describeRun());
const title = (backend: BackendName) => `\n## ${backend === 'redis' ? 'Redis' : 'PostgreSQL'} backend\n`;

if (command.args.includes(scaleName)) {
  // What carries the jobs has no part in it.
  const stage = await openStage('postgres');
  const scale = await contactsScale(stage, Number(flags.contacts)).finally(() => stage.close());
  console.log(`\n## Contacts\n\n${contactsReport(scale)}`);
  if (scale.walks.length > 0) throw new Error(`These read a whole table: ${scale.walks.join(', ')}`);
  process.exit();
}

if (command.args.includes(bodiesName)) {
  const stage = await openStage('postgres');
  console.log(`\n## Bodies\n\n${bodiesReport(await bodies(stage, rounds, flags.only).finally(() => stage.close()))}`);
  process.exit();
}

for (const backend of (flags.backend === 'both' ? ['redis', 'postgres'] : [flags.backend]) as BackendName[]) {
  const stage = await openStage(backend);
  if (command.args.includes(soakName)) {
    console.log(`${title(backend)}\n${soakReport(await soak(stage, Number(flags.messages)).finally(() => stage.close()))}`);
    continue;
  }
  if (command.args.includes(stormName)) {
    console.log(`${title(backend)}\n${loginStormReport(await loginStorm(stage, rounds, seconds).finally(() => stage.close()))}`);
    continue;
  }
  if (command.args.includes(importName)) {
    console.log(
      `${title(backend)}\n${importReport(await importBench(stage, Number(flags.rows), rounds).finally(() => stage.close()))}`,
    );
    continue;
  }
  const measured: Measured[] = [];
  try {
    for (const path of wanted) {
      await stage.receiver.process.ask({ secret: stage.kanal.tenant.endpointSecret, reset: true });
      const { round, close } = await path.open(stage, { seconds, count });
      const result: Measured = { path, kanal: [], floor: [] };
      for (let number = 0; number < rounds; number += 1)
        // Whoever goes first in a pair changes, so that what drifts on the machine meets both alike.
        for (const name of number % 2 === 0 ? (['kanal', 'floor'] as const) : (['floor', 'kanal'] as const)) {
          const side = stage[name];
          result[name].push(await round(side));
        }
      await close();
      measured.push(result);
      console.error(`${backend} ${path.name}: ${summaryOf(result).ratio.toFixed(2)}`);
    }
  } finally {
    await stage.close();
  }
  console.log(`${title(backend)}\n${tableOf(measured)}`);
}
