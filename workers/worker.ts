import { setTimeout as sleep } from 'node:timers/promises';
import { DelayedError, UnrecoverableError } from 'bullmq';
import type { AnyWorker, Backend, RunJob } from '../src/platform/ledger/backends/backend.ts';
import type { QueueName } from '../src/platform/ledger/queue-names.ts';
import { leadMs } from '../src/platform/ledger/queues.ts';
import { subjectOf } from '../src/platform/ledger/run.ts';
import { reasonOf } from '../src/platform/log.ts';
import type { Handler, WorkerDeps } from './handler.ts';
import { createPlaces, type Places } from './places.ts';
import { type Ended, runJob } from './run-job.ts';
import type { Sizes } from './sizes.ts';
import { type Suspects, suspectAfter } from './suspects.ts';
import { createTaken } from './taken.ts';

/** While the database is down BullMQ repeats the run; the row does not change. */
const outageMs = 2_000;

/** The only place that translates outcomes for BullMQ. */
export function startWorker(
  deps: WorkerDeps,
  backend: Backend,
  queue: QueueName,
  handlers: Map<string, Handler<Record<string, string>, unknown>>,
  sizes: Sizes,
  suspects: Suspects,
): AnyWorker {
  const { config, log } = deps;
  const places = createPlaces(sizes);
  const taken = createTaken(sizes.open);
  const process = async (job: RunJob, token?: string) => {
    const deaths = job.stalledCounter ?? 0;
    if (deaths < suspectAfter) return processRun(deps, handlers, places, job, token);
    const suspect = suspects.enter(deaths);
    if ('putOffMs' in suspect) {
      deps.jobMetrics.ended(queue, job.name, 'suspect', 0);
      return putOff(job, suspect.putOffMs, token);
    }
    log.warn({ job: job.name, job_id: job.data.id, run: job.data.run, deaths }, 'begins again after its worker died');
    try {
      return await processRun(deps, handlers, places, job, token);
    } finally {
      suspect.leave();
    }
  };
  const worker = backend.makeWorker(queue, (job, token) => taken.begin(() => process(job as RunJob, token)), {
    concurrency: taken.atFirst,
    lockDuration: config.lockDurationMs,
    stalledInterval: config.stalledIntervalMs,
    runRetryDelay: config.runRetryDelayMs,
  });
  taken.of(worker);
  worker.on('closing', () => places.close());
  worker.on('error', (error: Error) => log.debug({ err: error, queue }, 'queue error'));
  return worker;
}

async function processRun(
  deps: WorkerDeps,
  handlers: Map<string, Handler<Record<string, string>, unknown>>,
  places: Places,
  job: RunJob,
  token?: string,
) {
  const { organization_id, id, run } = job.data;
  await untilDue(job);
  const startedAt = performance.now();
  const handler = handlers.get(job.name);
  if (!handler) throw new UnrecoverableError(`No handler for ${job.name}`);
  const place = await places.enter(job.data);
  if ('putOffMs' in place) {
    deps.jobMetrics.ended(job.queueName, job.name, 'crowded', 0);
    return putOff(job, place.putOffMs, token);
  }
  let ended: Ended;
  let facts: Record<string, unknown> = {};
  try {
    const { attemptsMade, stalledCounter = 0 } = job;
    const result = await runJob(deps, handler, { organization_id, id, run, attemptsMade, stalledCounter }, place);
    ended = result.ended;
    facts = {
      organization_id: result.row?.organization_id,
      subject: result.row && subjectOf(result.row),
      attempt: (result.row?.attempts ?? 0) + 1,
      ...result.facts,
    };
  } catch (error) {
    ended = { kind: 'wait', delayMs: outageMs, isMoved: false, reason: reasonOf(error) };
  } finally {
    place.leave();
  }
  deps.log.info(
    {
      job: job.name,
      job_id: id,
      run,
      ...facts,
      outcome: ended.kind,
      ...reason(ended),
      duration_ms: Math.round(performance.now() - startedAt),
    },
    'job',
  );
  deps.jobMetrics.ended(job.queueName, job.name, ended.kind, (performance.now() - startedAt) / 1000);
  if (ended.kind === 'failed') throw withReasonOnly(`${ended.error.code}: ${ended.error.message}`);
  if ((ended.kind === 'again' || ended.kind === 'wait' || ended.kind === 'early') && !('isMoved' in ended && ended.isMoved))
    return putOff(job, ended.delayMs, token);
  return ended.kind;
}

async function putOff(job: RunJob, delayMs: number, token?: string): Promise<never> {
  // BullMQ compares with the host's clock. If that jumps, the sweep wakes the run.
  await job.moveToDelayed(Date.now() + Math.ceil(delayMs), token);
  throw new DelayedError();
}

/** Bull Board shows a failed run's stack: the reason tells an operator more. */
const withReasonOnly = (reason: string) => Object.assign(new UnrecoverableError(reason), { stack: reason });

/** Only a hint by BullMQ's clock: the row's time, by the database's clock, decides. */
async function untilDue({ opts, timestamp }: RunJob) {
  const earlyMs = opts.delay ? timestamp + opts.delay + leadMs - Date.now() : 0;
  if (earlyMs > 0) await sleep(Math.min(earlyMs, leadMs));
}

const reason = (ended: Ended) =>
  'error' in ended
    ? { code: ended.error.code, reason: ended.error.message }
    : 'reason' in ended && ended.reason
      ? { reason: ended.reason }
      : {};
