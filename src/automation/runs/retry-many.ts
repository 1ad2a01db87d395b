import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx, RunRef, TenantTx } from '../../platform/ledger/tx.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { runLock } from '../jobs.ts';
import { findRule } from '../rules/rule-row.ts';
import { assertMayUse, type MaySave } from '../rules/scopes.ts';
import { getVersion } from '../rules/versions.ts';
import type { RunFilter } from './filter.ts';
import { nextRuns, progressOf, usualStep, writeProgress } from './many.ts';
import { allScopes, filterIn, type RetryPayload, retryRunsJob } from './many-jobs.ts';
import { retryRun } from './retry.ts';

/**
 * Runs that had failed by now. Returns the id of the operation. Throws 403 where the filter names a rule whose published version does what `author` may
 * not do; of runs of other rules and versions the operation leaves these.
 */
export async function askToRetryRuns(tx: OwnTx, filter: RunFilter, author: MaySave): Promise<string> {
  const rule = filter.ruleId ? await findRule(tx, filter.ruleId) : undefined;
  if (rule && rule.version > 0) await assertMayUse(tx, author, (await getVersion(tx, rule.id, rule.version)).definition);
  return tx.enqueue(retryRunsJob, {
    request_id: uuidv7(),
    filter: JSON.stringify(filter),
    before: nowDate().toISOString(),
    scopes: [...author.scopes].join(' '),
  });
}

const authorIn = ({ scopes }: RetryPayload): MaySave | undefined =>
  scopes === allScopes ? undefined : { scopes: new Set(scopes.split(' ')) };

/** Beside another that lives it would be a second one: of several that failed the first is retried. */
const isAlone = `
  not (r.is_exclusive and exists (
    select 1
      from automation_runs o
     where o.organization_id = r.organization_id and o.rule_id = r.rule_id and o.subject_id = r.subject_id
       and o.is_exclusive and o.state in ('queued', 'running')))`;

/** A batch is one transaction, with how far it came. What cannot be retried stays failed. False: it was the last. Throws Superseded. */
export async function retryStep(
  own: Own,
  transact: TenantTransact,
  payload: RetryPayload,
  job: RunRef,
  size = usualStep,
): Promise<boolean> {
  const progress = await progressOf(own, job);
  const look = () =>
    nextRuns(own, { ...filterIn(payload), state: 'failed' }, { reached: progress.reached, size }, (bind) => [
      `r.ended_at <= ${bind(payload.before)}::timestamptz`,
    ]);
  const locks = (found: { id: string }[]) => found.map(({ id }) => runLock(id));
  return transact({ look, locks, isLong: true, outdatedBy: isTaken }, async (tx, found) => {
    if (found.length === 0) return false;
    let done = 0;
    for (const { id } of found) if (await isRetried(tx, id, authorIn(payload))) done += 1;
    await writeProgress(tx.own, job, {
      done: progress.done + done,
      left: progress.left + found.length - done,
      reached: found.at(-1)!.id,
    });
    return found.length === size;
  });
}

const codeOf = (error: unknown) =>
  error instanceof AppError && error.code === 'conflict' ? error.details?.[0]?.code : undefined;

/** Another began meanwhile: found by the database, which then does no more in this transaction. */
const isTaken = (error: unknown) => codeOf(error) === 'run.subject_busy';

/** SQL: one row, and a look whether another of its kind lives. */
const mayLive = `
  select 1
    from automation_runs r
   where r.organization_id = $1
     and r.id = $2
     and ${isAlone}`;

async function isRetried(tx: TenantTx, id: string, author: MaySave | undefined): Promise<boolean> {
  if ((await tx.own.sql(mayLive, [id])).length === 0) return false;
  try {
    await retryRun(tx, id, author);
    return true;
  } catch (error) {
    const isLeft = codeOf(error) !== undefined || (error instanceof AppError && error.code === 'forbidden');
    if (isTaken(error) || error instanceof LocksOutdated || !isLeft) throw error;
    return false;
  }
}
