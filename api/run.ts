import { ConfigError, readConfig } from '../src/platform/config/config.ts';
import { createLog } from '../src/platform/log.ts';
import { keepHeapSmall } from '../src/platform/process/heap.ts';
import { stopOnSignal } from '../src/platform/process/stop-on-signal.ts';
import { startWeb } from './start.ts';
import { warmUp } from './warm-up.ts';

try {
  const config = readConfig();
  const log = createLog(config.logLevel, 'web');
  const web = await startWeb(config, log, () => {
    log.fatal('the queue objects are dead: leaving, so that a fresh process takes over');
    process.exit(1);
  });
  keepHeapSmall();
  warmUp(log).catch((error) => {
    log.fatal({ err: error }, 'not all endpoints could be loaded: leaving, as a start that failed');
    process.exit(1);
  });
  stopOnSignal(log, config.shutdownTimeoutMs + 5_000, () => web.stop());
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
