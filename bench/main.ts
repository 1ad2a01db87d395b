import { mkdirSync } from 'node:fs';
import { Command } from 'commander';
import { abuseReport } from './abuse/report.ts';
import { abuseBench } from './abuse/run.ts';
import { hotBench, hotReport } from './automation/hot.ts';
import { latencySettings, ruleLatency, ruleLatencyReport } from './automation/latency.ts';
import { runsReport, runsScale } from './automation/scale.ts';
import { waitsBench, waitsReport } from './automation/waits.ts';
import { bodies, bodiesReport } from './bodies.ts';
import { channelsBench } from './campaigns/channels.ts';
import { channelsReport } from './campaigns/channels-report.ts';
import { feedBench } from './campaigns/feed.ts';
import { paceBench } from './campaigns/pace.ts';
import { paceReport } from './campaigns/pace-report.ts';
import { prepareBench } from './campaigns/prepare.ts';
import { feedReport, prepareReport } from './campaigns/report.ts';
import { campaignsReport, campaignsScale } from './campaigns/scale.ts';
import { isolationBench } from './commerce/isolation.ts';
import { contactsReport, contactsScale } from './contacts/scale.ts';
import { settings as costSettings } from './cost/meter.ts';
import { costReport } from './cost/report.ts';
import { cost, partNames } from './cost/run.ts';
import { crmImportBench, crmImportReport } from './crm/import.ts';
import { parkedBench, parkedReport } from './crm/parked.ts';
import { crmReport } from './crm/report.ts';
import { crmScale } from './crm/scale.ts';
import { flowDocumentBench, flowDocumentReport } from './flows/document.ts';
import { flowPushesBench, flowPushesReport } from './flows/pushes.ts';
import { responsesReport, responsesScale } from './flows/responses.ts';
import { importBench, importReport } from './import.ts';
import { inboxReport, inboxScale } from './inbox/scale.ts';
import { assertNone, ledgerFindings } from './ledger-check.ts';
import { loginStorm, loginStormReport } from './login-storm.ts';
import { longTablesReport } from './long/report.ts';
import { longTables } from './long/run.ts';
import { sizesOf } from './long/sizes.ts';
import { describeRun } from './machine.ts';
import { measureInTurns } from './measure.ts';
import { ordersReport, ordersScale } from './orders/scale.ts';
import { paths } from './paths/index.ts';
import { profile } from './processes.ts';
import { ratesReport } from './rates/report.ts';
import { ratesBench } from './rates/run.ts';
import { recoverReport } from './recover/report.ts';
import { recoverBench } from './recover/run.ts';
import { type Measured, summaryOf, tableOf } from './report.ts';
import { slowProviderReport } from './slow-provider/report.ts';
import { slowProviderBench } from './slow-provider/run.ts';
import { soak, soakReport } from './soak.ts';
import { type BackendName, openStage, type Stage } from './stage.ts';

type Flags = {
  backend: string;
  rounds: string;
  seconds: string;
  count: string;
  messages?: string;
  events: string;
  failed: string;
  organizations: string;
  small?: boolean;
  minutes: string;
  rate: string;
  part: string;
  contacts: string;
  conversations: string;
  rows?: string;
  deliveries: string;
  replays: string;
  runs?: string;
  rule?: string;
  waits: string;
  later: string;
  only: string;
  profile?: string;
};

/** `npm run bench -- get post`: ours and its floor alternately, medians of the rounds. */
const command = new Command('bench')
  .argument(
    '[paths...]',
    `of: ${paths.map(({ name }) => name).join(', ')}; none: all. Kanal alone: memory, over many messages; login-storm, GET beside many logins; contacts, reads of an organization of a million and one of ten thousand; inbox, pages of messages and conversations of a large organization and a small one; crm, reads of deals, tasks and records likewise; orders, reads of orders and free times likewise; import, contacts from a file beside COPY; crm-import, records likewise; parked, the sweep beside reminders that wait in the database and without any; abuse, a tenant beside hostile clients; slow-provider, a tenant beside a slow provider, dead receivers, a flood of retries and a backlog; orders-isolation, payments and messages beside a shipper that hangs and a calendar at its rate; rates, a burst on one channel and its pace beside another channel; flow-pushes, messages of a channel beside 500 pushes of flows that wait for its account; flow-document, how long a document of 10 MiB holds the event loop; flow-responses, the answers to a flow with a million of them and to one with ten thousand; campaign-reads, recipients and statistics of a campaign of a million and of one of ten thousand; automation-reads, lists and statistics of a million runs of rules and of ten thousand; automation-latency, from an event to what a rule does; automation-waits, runs that wait for one moment; automation-hot, paths with a rule that does not match and without one; campaign-pace, campaigns at the rate of their channels, beside replies and another channel; campaign-channels, one channel and four, and messages beside twenty that send a campaign; recover, failed deliveries recovered beside live ones; bodies, the CPU that refused bodies cost; long, a full database beside an empty one. Beside their floors: campaign-prepare, the audience of a campaign; campaign-feed, its messages. Part by part: cost, what one message costs. After each, jobs check must find nothing`,
  )
  .option('--backend <names>', 'redis, postgres or both', 'both')
  .option('--rounds <n>', 'rounds of each side', '5')
  .option('--seconds <n>', 'length of a round under load', '5')
  .option('--count <n>', 'messages or webhooks of a round of one worker', '4000')
  .option('--messages <n>', 'messages of memory (100,000), of inbox (200,000), of long (5,000,000) or of cost (2,000)')
  .option('--events <n>', 'events of long, and as many deliveries', '20000000')
  .option('--failed <n>', 'failed jobs of long', '1000000')
  .option('--organizations <n>', 'organizations of long', '10000')
  .option('--small', 'a hundredth of all sizes of long')
  .option('--minutes <n>', 'time of long; what begins later is left out', '60')
  .option('--rate <n>', 'messages a second of cost', '50')
  .option('--part <names>', `parts of cost, comma-separated, of: ${partNames.join(', ')}; none: all`, '')
  .option('--conversations <n>', 'conversations of the large organization of inbox', '20000')
  .option('--contacts <n>', 'contacts of the large organization of contacts', '1000000')
  .option(
    '--rows <n>',
    'contacts of import (200,000), records of crm-import (50,000), reminders of parked (100,000), answers of flow-responses, orders, recipients of campaign-reads or runs of automation-reads (1,000,000), recipients of campaign-prepare (100,000) or campaign-feed (10,000), or deals, tasks and records of crm, each (20,000)',
  )
  .option('--runs <n>', 'runs of a round of automation-runs; without it as many as --count')
  .option('--rule <kind>', 'the rule of automation-hot: heard or unheard; without it both')
  .option('--waits <n>', 'waiting runs of automation-waits', '100000')
  .option('--later <n>', 'LATER_TRIES_PER_SECOND of automation-waits', '100')
  .option('--deliveries <n>', 'failed deliveries of recover', '100000')
  .option('--replays <n>', 'deliveries a second that recover asks for in the run over all of them', '2000')
  .option(
    '--only <numbers>',
    'hostile clients of abuse, 1 to 8, comma-separated; bodies, reads of crm or orders, a part of campaign-pace (one, two, four, replies), or cases of slow-provider and recover (whole, another, same), by a part of their names; none: all',
    '',
  )
  .option('--profile <directory>', "writes our processes' CPU profiles there")
  .parse();

const flags = command.opts<Flags>();
const [rounds, seconds, count] = [Number(flags.rounds), Number(flags.seconds), Number(flags.count)];
const only = flags.only.split(',').filter(Boolean).map(Number);
const wanted = command.args.length > 0 ? paths.filter(({ name }) => command.args.includes(name)) : paths;

const rowsOr = (usual: number) => Number(flags.rows ?? usual);

/** With a report of their own. One that is long runs on Redis only, where no backend is named; one with a backend on that. */
const singles: {
  name: string;
  isLong?: true;
  backend?: BackendName;
  /** Kanal on both sides. */
  isTwin?: true;
  settings?: Record<string, string>;
  report(stage: Stage): Promise<string>;
}[] = [
  { name: 'memory', report: async (stage) => soakReport(await soak(stage, Number(flags.messages ?? 100_000))) },
  {
    name: 'cost',
    settings: costSettings,
    report: async (stage) => {
      const parts = flags.part.split(',').filter(Boolean);
      return costReport(await cost(stage, Number(flags.messages ?? 2_000), Number(flags.rate), parts));
    },
  },
  { name: 'login-storm', report: async (stage) => loginStormReport(await loginStorm(stage, rounds, seconds)) },
  { name: 'import', report: async (stage) => importReport(await importBench(stage, rowsOr(200_000), rounds)) },
  {
    name: 'crm-import',
    backend: 'postgres',
    report: async (stage) => crmImportReport(await crmImportBench(stage, rowsOr(50_000), rounds)),
  },
  {
    name: 'parked',
    isTwin: true,
    report: async (stage) => parkedReport(await parkedBench(stage, rowsOr(100_000), rounds)),
  },
  {
    name: 'campaign-prepare',
    backend: 'postgres',
    report: async (stage) => prepareReport(await prepareBench(stage, rowsOr(100_000), rounds)),
  },
  {
    name: 'campaign-feed',
    backend: 'postgres',
    report: async (stage) => feedReport(await feedBench(stage, rowsOr(10_000), rounds)),
  },
  {
    name: 'campaign-pace',
    isLong: true,
    report: async (stage) => paceReport(await paceBench(stage, rounds, seconds, flags.only)),
  },
  {
    name: 'campaign-channels',
    isLong: true,
    report: async (stage) => channelsReport(await channelsBench(stage, rounds, seconds)),
  },
  {
    name: 'automation-latency',
    isLong: true,
    settings: latencySettings,
    report: async (stage) => ruleLatencyReport(await ruleLatency(stage, rounds, seconds)),
  },
  {
    name: 'automation-waits',
    isLong: true,
    async report(stage) {
      const [waits, later] = [Number(flags.waits), Number(flags.later)];
      return waitsReport(await waitsBench(stage, { waits, later, rounds, seconds }));
    },
  },
  {
    name: 'automation-hot',
    isTwin: true,
    report: async (stage) => hotReport(await hotBench(stage, { rounds, seconds, count, only: flags.rule })),
  },
  { name: 'abuse', isLong: true, report: async (stage) => abuseReport(await abuseBench(stage, only, rounds, seconds)) },
  {
    name: 'slow-provider',
    isLong: true,
    report: async (stage) => slowProviderReport(await slowProviderBench(stage, rounds, seconds, flags.only)),
  },
  {
    name: 'orders-isolation',
    isLong: true,
    report: async (stage) => slowProviderReport(await isolationBench(stage, rounds, seconds)),
  },
  {
    name: 'rates',
    isLong: true,
    report: async (stage) => ratesReport(await ratesBench(stage, rounds, seconds)),
  },
  {
    name: 'flow-pushes',
    isLong: true,
    report: async (stage) => flowPushesReport(await flowPushesBench(stage, rounds, seconds)),
  },
  {
    name: 'flow-document',
    backend: 'postgres',
    report: async (stage) => flowDocumentReport(await flowDocumentBench(stage, rounds)),
  },
  {
    name: 'recover',
    isLong: true,
    async report(stage) {
      const [failed, perSecond] = [Number(flags.deliveries), Number(flags.replays)];
      return recoverReport(await recoverBench(stage, { failed, rounds, seconds, perSecond, only: flags.only }));
    },
  },
  {
    name: 'bodies',
    backend: 'postgres',
    report: async (stage) => bodiesReport(await bodies(stage, rounds, flags.only || undefined)),
  },
];

const shown = <Found extends { walks: string[] }>(found: Found, report: (found: Found) => string) => ({
  report: report(found),
  walks: found.walks,
});
/** Reads of a large organization and of a small one; `walks`: those that read a whole table. */
const scales: { name: string; title: string; measure(stage: Stage): Promise<{ report: string; walks: string[] }> }[] = [
  {
    name: 'contacts',
    title: 'Contacts',
    measure: async (stage) => shown(await contactsScale(stage, Number(flags.contacts)), contactsReport),
  },
  {
    name: 'inbox',
    title: 'Inbox',
    async measure(stage) {
      const sizes = { messages: Number(flags.messages ?? 200_000), conversations: Number(flags.conversations) };
      return shown(await inboxScale(stage, sizes), inboxReport);
    },
  },
  {
    name: 'flow-responses',
    title: 'Answers to a flow',
    measure: async (stage) => shown(await responsesScale(stage, rowsOr(1_000_000)), responsesReport),
  },
  { name: 'crm', title: 'CRM', measure: async (stage) => shown(await crmScale(stage, rowsOr(20_000), flags.only), crmReport) },
  {
    name: 'campaign-reads',
    title: 'Campaigns',
    measure: async (stage) => shown(await campaignsScale(stage, rowsOr(1_000_000)), campaignsReport),
  },
  {
    name: 'automation-reads',
    title: 'Runs of rules',
    measure: async (stage) => shown(await runsScale(stage, rowsOr(1_000_000)), runsReport),
  },
  {
    name: 'orders',
    title: 'Orders',
    measure: async (stage) => shown(await ordersScale(stage, rowsOr(1_000_000), flags.only), ordersReport),
  },
];

if (flags.profile) {
  mkdirSync(flags.profile, { recursive: true });
  for (const file of ['api/main.ts', 'workers/main.ts']) profile(file, flags.profile);
}

console.log(describeRun());
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
