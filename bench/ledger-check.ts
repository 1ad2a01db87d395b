import { setTimeout as sleep } from 'node:timers/promises';
import { knowJobs } from '../src/jobs.ts';
import { openDatabase } from '../src/open-database.ts';
import { checkJobs } from '../src/platform/ledger/check.ts';
import { createLog } from '../src/platform/log.ts';
import type { Side } from './stage.ts';
import { isLive } from './take-away.ts';

/** A worker has this long for what is due; what then still waits is looked at as it stands. */
const longestMs = 60_000;

/** What `jobs check` finds in Kanal's database once its bench is over: nothing, or the ledger has lost or kept something. */
export async function ledgerFindings(side: Side, after: string): Promise<string[]> {
  if (side.product !== 'kanal') return [];
  knowJobs();
  await workedOff(side);
  const log = createLog('silent', 'bench');
  const database = await openDatabase({ url: side.env.DATABASE_URL!, poolMax: 1, applicationName: 'bench', log });
  try {
    const findings = await checkJobs(database, longestMs);
    return findings.map(({ rule, id, detail }) => `after ${after}, ${side.name}: ${id}  ${detail}: not so that ${rule}`);
  } finally {
    await database.close();
  }
}

/** A bench may end with rows that no worker was there for: a row that nobody looks at for minutes is a finding only beside a worker. */
async function workedOff(side: Side) {
  const isDue = async () =>
    (await side.sql.query(`select exists (select 1 from jobs where ${isLive} and run_at <= now()) as is_due`)).rows[0].is_due;
  if (!(await isDue())) return;
  const worker = side.startWorker('');
  try {
    for (const until = Date.now() + longestMs; Date.now() < until && (await isDue()); ) await sleep(100);
  } finally {
    await worker.stop();
  }
}

const maxShown = 20;

export function assertNone(findings: string[]) {
  if (findings.length === 0) return;
  const shown = findings.slice(0, maxShown).join('\n');
  throw new Error(`jobs check found ${findings.length}:\n${shown}`);
}
