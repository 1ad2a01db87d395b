import { endpointPool } from '../../src/platform/ledger/pools.ts';
import { endpointWidth } from '../../src/webhooks/endpoints.ts';
import { createEndpoint } from '../endpoints.ts';
import { startReceiver } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { type Beside, besideRecover } from './beside.ts';
import { type Whole, wholeRecover } from './whole.ts';

export type Recovered = { whole?: Whole; perSecond: number; beside: Beside[] };
type Options = {
  failed: number;
  rounds: number;
  seconds: number;
  /** WEBHOOK_REPLAYS_PER_SECOND of the run over all of them; beside the others it is as it is by itself. */
  perSecond: number;
  only: string;
};

/** `failed` deliveries of one endpoint, recovered beside live ones of another and of the same, and once to the last. */
export async function recoverBench(stage: Stage, { failed, rounds, seconds, perSecond, only }: Options): Promise<Recovered> {
  const { kanal } = stage;
  const { tenant } = kanal;
  const receiver = await startReceiver('bench/receiver.ts');
  const { process: web, base } = await kanal.startWeb();
  const create = async () => {
    const endpoint = await createEndpoint(base, tenant.apiKey, receiver.url, ['message.sent']);
    await receiver.process.ask({ reset: true, secret: endpoint.secret });
    return endpoint;
  };
  // The bench's own endpoint has as good as no width.
  await kanal.sql.query('update pools set width = $2 where id = $1', [endpointPool(tenant.endpointId), endpointWidth]);
  const result: Recovered = { perSecond, beside: [] };
  const isWanted = (name: string) => name.includes(only);
  try {
    if (isWanted('whole')) {
      const worker = kanal.startWorker('', { WEBHOOK_REPLAYS_PER_SECOND: String(perSecond) });
      const { id: endpointId, secret } = await create();
      const on = { web, worker, base, receiver: receiver.process, endpointId, secret };
      result.whole = await wholeRecover(stage, on, failed, seconds).finally(() => worker.stop());
    }
    const worker = kanal.startWorker('');
    try {
      for (const name of ['another endpoint', 'the same endpoint'].filter(isWanted)) {
        const endpointId = name === 'the same endpoint' ? tenant.endpointId : (await create()).id;
        result.beside.push(await besideRecover(stage, { base, worker }, { name, endpointId, failed }, rounds, seconds));
      }
    } finally {
      await worker.stop();
    }
  } finally {
    await Promise.all([web.stop(), receiver.process.stop()]);
  }
  return result;
}
