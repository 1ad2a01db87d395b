import { ConfigError, readConfig } from '../src/platform/config/config.ts';
import { createLog } from '../src/platform/log.ts';
import { keepHeapSmall } from '../src/platform/process/heap.ts';
import { stopOnSignal } from '../src/platform/process/stop-on-signal.ts';
import { startWorkers } from './start.ts';

try {
  const config = readConfig();
  const log = createLog(config.logLevel, 'worker');
  const worker = await startWorkers(config, log, () => {
    log.fatal('the queue objects are dead: leaving, so that a fresh process takes over');
    process.exit(1);
  });
  keepHeapSmall();
  stopOnSignal(log, config.shutdownTimeoutMs + 5_000, () => worker.stop());
  log.info('worker started');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
