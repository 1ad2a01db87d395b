import { knowJobs } from '../../src/jobs.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { callOff, controlOf, type pauseOperation } from '../../src/platform/ledger/control.ts';
import { endpointPool } from '../../src/platform/ledger/pools.ts';
import { asTenant, transactFor } from '../../src/platform/ledger/tenant.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import { replayPool } from '../../src/webhooks/replay/jobs.ts';
import { askForReplay, type ReplayRequest, replayLocks } from '../../src/webhooks/replay/request.ts';
import { takeStep } from '../../src/webhooks/replay/run.ts';
import type { SendOutcome } from '../../src/webhooks/sender.ts';
import { deliver } from '../../workers/webhooks/deliver.ts';
import { cancelWebhooks, recoverWebhooks, replayWebhooks } from '../../workers/webhooks/replay-deliveries.ts';
import { deliveries } from './factories/deliveries.ts';
import type { House, ToyHandler } from './house.ts';

const handlers = { recover: recoverWebhooks, replay: replayWebhooks, cancel: cancelWebhooks } as unknown as Record<
  ReplayRequest['kind'],
  ToyHandler
>;
export const delivering = deliver as unknown as ToyHandler;
/** For a house in which replays wait for nothing. */
export const unhurried = { env: { WEBHOOK_REPLAYS_PER_SECOND: '10000', BULK_TIME_SHARE: '1' } };

const anHourAgo = () => new Date(Date.now() - 3_600_000);
export const outcome = (status: number): SendOutcome =>
  status === 200
    ? { ok: true, status, durationMs: 1 }
    : { ok: false, status, errorClass: 'http', error: `${status}`, durationMs: 1 };

export type Asked = { id: string; job: RunRef };

/** Replays of one endpoint, step by step and run by run. */
export function replaying(houseOf: () => House, endpointIdOf: () => string) {
  knowJobs();
  const own = () => ownRows(houseOf().database, houseOf().organizationId);
  const transact = () => transactFor(houseOf().ledger.transact, houseOf().organizationId);
  const ids = () => ({ organizationId: houseOf().organizationId, endpointId: endpointIdOf() });
  const make = (given: Parameters<typeof deliveries>[2]) => deliveries(houseOf().sql, ids(), given);

  /** An operation with room, as the queue would hand over its job. */
  async function asked(kind: ReplayRequest['kind'], more: Partial<ReplayRequest> = {}): Promise<Asked> {
    const request = { kind, endpointId: endpointIdOf(), ...(kind !== 'cancel' && { since: anHourAgo() }), ...more };
    const { operationId } = await houseOf().ledger.transact({ locks: replayLocks(request) }, (tx) =>
      askForReplay(asTenant(tx, houseOf().organizationId), 'cli', request, 30),
    );
    await houseOf().ledger.fill(houseOf().pool(replayPool));
    const [row] = await houseOf().sql<{ subject_id: string; run: number }>('select subject_id, run from jobs where id = $1', [
      operationId,
    ]);
    return { id: row!.subject_id, job: { organization_id: houseOf().organizationId, id: operationId, run: row!.run } };
  }
  const step = ({ id, job }: Asked, size = 10) => takeStep(own(), transact(), id, job, size);
  const run = (kind: ReplayRequest['kind'], { job }: Asked) => houseOf().run(handlers[kind], job);
  async function whole(one: Asked, size = 10) {
    for (;;) {
      const { kind } = await step(one, size);
      if (kind !== 'moved') return kind;
    }
  }
  const stateOf = async (one: Asked) =>
    (await houseOf().sql<{ state: string; done: number }>('select state, done from webhook_replays where id = $1', [one.id]))[0];
  const counts = async () =>
    Object.fromEntries(
      (
        await houseOf().sql<{ state: string; n: number }>(
          'select state, count(*)::int as n from webhook_deliveries group by 1 order by 1',
        )
      ).map(({ state, n }) => [state, n]),
    );
  /** `ready`: it waits for room, or has it. */
  const jobsOf = (deliveryIds: string[]) =>
    houseOf().sql<{
      subject_id: string;
      state: string;
      queue: string;
      attempts: number;
      seq: number;
      run: number;
      lane: string | null;
    }>(
      `select subject_id, case state when 'blocked' then 'blocked' else 'ready' end as state, queue, attempts, seq::float8, run, lane from jobs
        where subject_id = any($1) and state in ('blocked', 'waiting', 'queued') order by jobs.seq`,
      [deliveryIds],
    );
  const control = (what: typeof pauseOperation, { job }: Asked) => transact()(controlOf(own(), job.id), (tx) => what(tx, job.id));
  const calledOff = ({ job }: Asked) => transact()(controlOf(own(), job.id), (tx) => callOff(tx, job.id, 'cli'));

  /** Runs every delivery that has room until none has; what each request is answered is `statusOf`. */
  async function deliverAll(statusOf: () => number = () => 200) {
    Object.assign(houseOf().deps, { sender: { send: async () => outcome(statusOf()), close: async () => undefined } });
    for (;;) {
      await houseOf().ledger.fill(houseOf().pool(endpointPool(endpointIdOf())));
      const due = await houseOf().sql<{ id: string; run: number }>(
        `select id, run from jobs where name = 'webhooks.deliver' and state = 'queued' and run_at <= clock_timestamp() order by seq`,
      );
      if (due.length === 0) return;
      for (const { id, run: number } of due) await houseOf().run(delivering, { id, run: number });
    }
  }
  const attempts = (deliveryIds: string[]) =>
    houseOf().sql<{ delivery_id: string; trigger: string }>(
      'select delivery_id, trigger from webhook_attempts where delivery_id = any($1) order by id',
      [deliveryIds],
    );

  return { own, transact, ids, make, asked, step, run, whole, stateOf, counts, jobsOf, control, calledOff, deliverAll, attempts };
}
