import { Command } from 'commander';
import { partNames } from './cost/run.ts';
import { paths } from './paths/index.ts';

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
export const command = new Command('bench')
  .argument(
    '[paths...]',
    `of: ${paths.map(({ name }) => name).join(', ')}; none: all. Kanal alone: memory, over many messages; login-storm, GET beside many logins; contacts, reads of an organization of a million and one of ten thousand; inbox, pages of messages and conversations of a large organization and a small one; crm, reads of deals, tasks and records likewise; orders, reads of orders and free times likewise; import, contacts from a file beside COPY; crm-import, records likewise; parked, the sweep beside reminders that wait in the database and without any; abuse, a tenant beside hostile clients; slow-provider, a tenant beside a slow provider, dead receivers, a flood of retries and a backlog; orders-isolation, payments and messages beside a shipper that hangs and a calendar at its rate; rates, a burst on one channel and its pace beside another channel; flow-pushes, messages of a channel beside 500 pushes of flows that wait for its account; flow-document, how long a document of 10 MiB holds the event loop; flow-responses, the answers to a flow with a million of them and to one with ten thousand; campaign-reads, recipients and statistics of a campaign of a million and of one of ten thousand; automation-reads, lists and statistics of a million runs of rules and of ten thousand; automation-latency, from an event to what a rule does; automation-waits, runs that wait for one moment; automation-hot, paths with a rule that does not match and without one; campaign-pace, campaigns at the rate of their channels, beside replies and another channel; campaign-channels, one channel and four, and messages beside twenty that send a campaign; campaign-size, memory and jobs from the start of a large campaign to its end; recover, failed deliveries recovered beside live ones; bodies, the CPU that refused bodies cost; long, a full database beside an empty one. Beside their floors: campaign-prepare, the audience of a campaign; campaign-feed, its messages. Part by part: cost, what one message costs. After each, jobs check must find nothing`,
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
    'contacts of import (200,000), records of crm-import (50,000), reminders of parked (100,000), answers of flow-responses, orders, recipients of campaign-reads or runs of automation-reads (1,000,000), recipients of campaign-prepare, campaign-size (100,000) or campaign-feed (10,000), or deals, tasks and records of crm, each (20,000)',
  )
  .option('--runs <n>', 'runs of a round of automation-runs; without it as many as --count')
  .option('--rule <kind>', 'the rule of automation-hot: heard or unheard; without it both')
  .option('--waits <n>', 'waiting runs of automation-waits', '100000')
  .option('--later <n>', 'LATER_TRIES_PER_SECOND of automation-waits', '100')
  .option('--deliveries <n>', 'failed deliveries of recover', '100000')
  .option('--replays <n>', 'deliveries a second that recover asks for in the run over all of them', '2000')
  .option(
    '--only <numbers>',
    'hostile clients of abuse, 1 to 13, comma-separated; bodies, reads of crm or orders, a part of campaign-pace (one, two, four, replies), or cases of slow-provider and recover (whole, another, same), by a part of their names; none: all',
    '',
  )
  .option('--profile <directory>', "writes our processes' CPU profiles there")
  .parse();

export const flags = command.opts<Flags>();
export const [rounds, seconds, count] = [Number(flags.rounds), Number(flags.seconds), Number(flags.count)];

export const rowsOr = (usual: number) => Number(flags.rows ?? usual);
