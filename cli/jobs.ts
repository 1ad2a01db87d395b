import { replayJob } from '../src/operator/replays.ts';
import { checkJobs } from '../src/platform/ledger/check.ts';
import { idArgument, secondsArgument } from './arguments.ts';
import { withDatabase, withLedger } from './connect.ts';
import { eachOf } from './each-of.ts';

export async function checkJobsCommand({ timeout }: { timeout: string }) {
  const limitMs = secondsArgument(timeout) * 1000;
  const findings = await withDatabase((database) => checkJobs(database, limitMs));
  for (const { rule, id, detail } of findings) console.log(`${id}  ${detail}: not so that ${rule}`);
  if (findings.length === 0) console.log('clean');
  else process.exitCode = 1;
}

export async function retryJobsCommand(texts: string[]) {
  const ids = texts.map((text) => idArgument(text, 'a job'));
  await withLedger((ledger) =>
    eachOf(ids, async (id) =>
      (await replayJob(ledger.transact, id)) ? `Job ${id} runs again` : `Job ${id} has not failed: nothing to do`,
    ),
  );
}
