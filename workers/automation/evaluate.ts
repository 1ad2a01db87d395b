import { createDefinitions } from '../../src/automation/evaluate/definitions.ts';
import { evaluation, writeEvaluation } from '../../src/automation/evaluate/evaluate.ts';
import { lookAtEvent } from '../../src/automation/evaluate/look.ts';
import { evaluateJob } from '../../src/automation/jobs.ts';
import { handle } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

const definitions = createDefinitions();

/** The lane of the job is the order of the subject's events, and its lock the subject's. */
export const evaluateEvent = handle(evaluateJob, async ({ event_id }, context) => {
  const { own, config, log, jobMetrics } = context;
  const evaluating = {
    own,
    stopWords: config.stopWords,
    read: definitions.read,
    onFault: (err: unknown, ruleId: string) => {
      log.error({ err, job: evaluateJob.name, rule_id: ruleId, event_id }, 'a fault of our own: the rule begins nothing');
      jobMetrics.fault(evaluateJob.name);
    },
  };
  let seen = await lookAtEvent(evaluating, event_id);
  const mayGoOn = turnOf(context, Number.POSITIVE_INFINITY);
  while (seen.last !== null) {
    const { last } = seen;
    await context.transact(evaluation(evaluating, seen), writeEvaluation);
    if (!(await mayGoOn())) return paused(context);
    seen = await lookAtEvent(evaluating, event_id, last);
  }
  if (seen.starts.length + seen.wakes.length === 0) return context.finish();
  return context.finishLooked(evaluation(evaluating, seen), writeEvaluation);
});
