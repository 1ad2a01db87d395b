import { createDefinitions } from '../../src/automation/evaluate/definitions.ts';
import { evaluation, writeEvaluation } from '../../src/automation/evaluate/evaluate.ts';
import { type EvaluatedEvent, eventOfJob } from '../../src/automation/evaluate/event.ts';
import { lookAtEvent } from '../../src/automation/evaluate/look.ts';
import { evaluateJob } from '../../src/automation/jobs.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { readRunWith } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import { type Claimed, handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

const definitions = createDefinitions();

/** The lane of the job is the order of the subject's events, and its lock the subject's. */
export const evaluateEvent = handle<{ event_id: string }, EvaluatedEvent | undefined>(
  evaluateJob,
  async ({ event_id }, context) => {
    const { own, config, log, jobMetrics, claimed } = context;
    const evaluating = {
      own,
      stopWords: config.stopWords,
      read: definitions.read,
      onFault: (err: unknown, ruleId: string) => {
        log.error({ err, job: evaluateJob.name, rule_id: ruleId, event_id }, 'a fault of our own: the rule begins nothing');
        jobMetrics.fault(evaluateJob.name);
      },
    };
    let seen = await lookAtEvent(evaluating, event_id, { read: claimed });
    const mayGoOn = turnOf(context, Number.POSITIVE_INFINITY);
    while (seen.last !== null) {
      const { last } = seen;
      await context.transact(evaluation(evaluating, seen), writeEvaluation);
      if (!(await mayGoOn())) return paused(context);
      seen = await lookAtEvent(evaluating, event_id, { after: last });
    }
    if (seen.starts.length + seen.wakes.length === 0) return context.finish();
    return context.finishLooked(evaluation(evaluating, seen), writeEvaluation);
  },
  readWithEvent,
);

/** The job and its event in one look. */
async function readWithEvent(database: Database, ref: RunRef): Promise<Claimed<EvaluatedEvent | undefined>> {
  const found = await readRunWith(database, ref, eventOfJob(ref.organization_id, ref.id));
  return found && { row: found.row, claimed: found.read[0]![0] as EvaluatedEvent | undefined };
}
