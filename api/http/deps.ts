import type { Authenticate } from '../../src/accounts/authenticate.ts';
import type { Passwords } from '../../src/accounts/password-hash.ts';
import type { Config } from '../../src/platform/config/config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Ledger } from '../../src/platform/ledger/ledger.ts';
import type { Queues } from '../../src/platform/ledger/queues.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';
import type { Log } from '../../src/platform/log.ts';
import type { Metrics } from '../../src/platform/metrics/metrics.ts';
import type { LoginLimits } from '../../src/platform/rate-limits/login.ts';
import type { RequestLimits } from '../../src/platform/rate-limits/requests.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import type { Providers } from '../../src/providers/index.ts';
import type { Intake } from './intake/intake.ts';

/** What the process is made of, as handlers are given it. */
export type Deps = {
  config: Config;
  database: Database;
  ledger: Ledger;
  queues: Queues;
  providers: Providers;
  secrets: Secrets;
  authenticate: Authenticate;
  passwords: Passwords;
  loginLimits: LoginLimits;
  limits: RequestLimits;
  intake: Intake;
  /** How lists are read. */
  reads: Reads;
  metrics: Metrics;
  log: Log;
};
