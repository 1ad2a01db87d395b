import { checkJobs } from '../src/ledger/check.ts';
import { retryJob } from '../src/ledger/retry.ts';
import { idArgument } from './arguments.ts';
import { withDatabase, withLedger } from './connect.ts';

export async function checkJobsCommand() {
  const findings = await withDatabase((database) => checkJobs(database));
  for (const { rule, id, detail } of findings) console.log(`${id}  ${detail}: not so that ${rule}`);
  if (findings.length === 0) console.log('clean');
  else process.exitCode = 1;
}

export async function retryJobCommand(text: string) {
  const id = idArgument(text, 'a job');
  const isRetried = await withLedger((ledger) => retryJob(ledger.transact, id));
  console.log(isRetried ? `Job ${id} runs again` : `Job ${id} has not failed: nothing to do`);
}
