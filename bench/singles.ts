import { abuseReport } from './abuse/report.ts';
import { abuseBench } from './abuse/run.ts';
import { hotBench, hotReport } from './automation/hot.ts';
import { latencySettings, ruleLatency, ruleLatencyReport } from './automation/latency.ts';
import { waitsBench, waitsReport } from './automation/waits.ts';
import { bodies, bodiesReport } from './bodies.ts';
import { channelsBench } from './campaigns/channels.ts';
import { channelsReport } from './campaigns/channels-report.ts';
import { feedBench } from './campaigns/feed.ts';
import { paceBench } from './campaigns/pace.ts';
import { paceReport } from './campaigns/pace-report.ts';
import { prepareBench } from './campaigns/prepare.ts';
import { feedReport, prepareReport } from './campaigns/report.ts';
import { sizeBench, sizeReport } from './campaigns/size.ts';
import { count, flags, rounds, rowsOr, seconds } from './command.ts';
import { isolationBench } from './commerce/isolation.ts';
import { settings as costSettings } from './cost/meter.ts';
import { costReport } from './cost/report.ts';
import { cost } from './cost/run.ts';
import { crmImportBench, crmImportReport } from './crm/import.ts';
import { parkedBench, parkedReport } from './crm/parked.ts';
import { flowDocumentBench, flowDocumentReport } from './flows/document.ts';
import { flowPushesBench, flowPushesReport } from './flows/pushes.ts';
import { importBench, importReport } from './import.ts';
import { loginStorm, loginStormReport } from './login-storm.ts';
import { ratesReport } from './rates/report.ts';
import { ratesBench } from './rates/run.ts';
import { recoverReport } from './recover/report.ts';
import { recoverBench } from './recover/run.ts';
import { slowProviderReport } from './slow-provider/report.ts';
import { slowProviderBench } from './slow-provider/run.ts';
import { soak, soakReport } from './soak.ts';
import type { BackendName, Stage } from './stage.ts';

const only = flags.only.split(',').filter(Boolean).map(Number);

/** With a report of their own. One that is long runs on Redis only, where no backend is named; one with a backend on that. */
export const singles: {
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
  { name: 'campaign-size', isLong: true, report: async (stage) => sizeReport(await sizeBench(stage, rowsOr(100_000))) },
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
