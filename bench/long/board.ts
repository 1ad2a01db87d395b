import { UnrecoverableError } from 'bullmq';
import { Client } from 'undici';
import { uuidv7 } from '../../src/platform/ids.ts';
import { type Queues, runId } from '../../src/platform/ledger/queues.ts';
import type { Side } from '../stage.ts';
import type { Timed } from './chores.ts';

const credentials = { OPERATOR_USER: 'operator', OPERATOR_PASSWORD: 'bench-operator' };
/** More failed runs than BullMQ keeps of a queue. */
const failedRuns = 10_500;

/** Runs that failed, in every queue, through the backend's own worker. */
export async function fillBoard(queues: Queues) {
  for (const queue of queues.all()) {
    const rows = Array.from({ length: failedRuns }, () => ({ id: uuidv7(), run: 1 }));
    const fail = async () => {
      throw new UnrecoverableError('The provider answered 500 and would not say why');
    };
    const worker = queues.backend.makeWorker(queue.name as never, fail, {
      concurrency: 100,
      lockDuration: 30_000,
      stalledInterval: 30_000,
      runRetryDelay: 500,
    });
    for (let from = 0; from < rows.length; from += 1_000)
      await queue.addBulk(
        rows.slice(from, from + 1_000).map((row) => ({ name: 'filled', data: row, opts: { jobId: runId(row) } })),
      );
    for (;;) {
      const { waiting = 0, active = 0 } = await queue.getJobCounts('waiting', 'active');
      if (waiting + active === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await worker.close();
  }
}

/** Its pages, as its own script asks for them. */
export async function openBoard(side: Side): Promise<{ pages: Timed[]; close(): Promise<void> }> {
  const web = await side.startWeb(credentials);
  const client = new Client(web.base);
  const authorization = `Basic ${Buffer.from(Object.values(credentials).join(':')).toString('base64')}`;
  const page = (name: string, path: string): Timed => ({
    name: `Bull Board, ${name}`,
    async run() {
      const { statusCode, body } = await client.request({
        method: 'GET',
        path: `/ops/queues${path}`,
        headers: { authorization },
      });
      await body.text();
      if (statusCode !== 200) throw new Error(`long: Bull Board's ${path} answered ${statusCode}`);
    },
  });
  const failed = '/api/queues?activeQueue=webhooks&status=failed&jobsPerPage=10';
  return {
    pages: [
      page('its page', '/'),
      page('queues', '/api/queues'),
      page('failed runs', `${failed}&page=1`),
      page('failed runs, far page', `${failed}&page=900`),
    ],
    async close() {
      await Promise.all([client.close(), web.process.stop()]);
    },
  };
}
