import { hostsOf } from '../../src/platform/config/cluster-url.ts';
import { createBackend } from '../../src/platform/ledger/backends/index.ts';
import { commandLog } from '../connect.ts';
import type { Output } from './output.ts';
import { until } from './until.ts';

const silentMs = 2_000;
const everyMs = 200;

/** Waits for the Redis that QUEUE_URL names, and says so when it takes longer. Its address is shown without name and password. */
export async function queueAnswers(queueUrl: string, output: Output, signal: AbortSignal): Promise<void> {
  const host = hostsOf(queueUrl);
  const backend = createBackend({ databaseUrl: '', queueUrl }, commandLog());
  const timer = setTimeout(() => output.say(`waiting for Redis at ${host} (QUEUE_URL)`), silentMs);
  const probe = () =>
    backend.probe().then(
      () => true,
      () => undefined,
    );
  try {
    await until(`An answer of Redis at ${host} (QUEUE_URL)`, signal, probe, { everyMs });
  } finally {
    clearTimeout(timer);
    await backend.close();
  }
}
