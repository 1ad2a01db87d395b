import { setTimeout as sleep } from 'node:timers/promises';
import { knowJobs } from '../../src/jobs.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { conversationUpdated } from '../../src/platform/events/catalogue.ts';
import { nothingDispatched } from '../../src/platform/ledger/accept.ts';
import { handOverParked } from '../../src/platform/ledger/hand-over-parked.ts';
import { subjectLock } from '../../src/platform/ledger/locks.ts';
import { isParked } from '../../src/platform/ledger/park.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { endpointLock, poolsOf } from '../../src/webhooks/endpoints.ts';
import { replayDelivery, replayOf } from '../../src/webhooks/replay/one.ts';
import type { SendOutcome, WebhookRequest } from '../../src/webhooks/sender.ts';
import { type HeldPolicy, switchOff, switchOn } from '../../src/webhooks/switch-endpoint.ts';
import { runJob } from '../../workers/run-job.ts';
import { deliver } from '../../workers/webhooks/deliver.ts';
import { cancelPending, drainPending, hastenPending, resumePending } from '../../workers/webhooks/settle-pending.ts';
import { type House, onePlace, type ToyHandler } from './house.ts';
import { type Ref, Workers } from './workers-at-work.ts';

const handlers = new Map(
  [deliver, cancelPending, drainPending, hastenPending, resumePending].map((handler) => [
    handler.contract.name,
    handler as unknown as ToyHandler,
  ]),
);

const failed = (errorClass: SendOutcome['errorClass'], error: string, more: Partial<SendOutcome> = {}): SendOutcome => ({
  ok: false,
  durationMs: 1,
  errorClass,
  error,
  ...more,
});
/** What may become of a request. */
export const answers = {
  ok: { ok: true, status: 200, durationMs: 1 },
  error: failed('http', '500', { status: 500 }),
  busy: failed('http', '429', { status: 429, retryAfter: '7200' }),
  timeout: failed('timeout', 'no answer within 15000 ms'),
  reset: failed('http', 'the connection was reset'),
  gone: failed('http', '410', { status: 410 }),
} satisfies Record<string, SendOutcome>;
export type Answer = keyof typeof answers;

/** One endpoint, its events and the workers that deliver them; requests wait for the test's answer, and time moves by its word. */
export class Deliveries {
  readonly house: House;
  readonly endpointId: string;
  readonly workers: Workers<Answer>;
  /** Of each subject the events that were answered with 200, each at its first one. */
  readonly accepted = new Map<string, number[]>();
  /** Requests that went out while an earlier event of their subject was still to come. */
  readonly faults: object[] = [];

  constructor(house: House, endpointId: string) {
    knowJobs();
    this.house = house;
    this.endpointId = endpointId;
    this.workers = new Workers<Answer>(house, (ref, gate) => this.run(ref, gate));
  }

  private async run(ref: Ref, gate: (pool: string) => Promise<Answer>) {
    const sender = {
      send: async ({ headers }: WebhookRequest) => {
        const asked = await this.asked(headers['webhook-id']!, ref.id);
        const answer = await gate(asked.pool);
        if (answer === 'ok') this.accept(asked);
        return answers[answer];
      },
      close: async () => undefined,
    };
    const run = {
      organization_id: this.house.organizationId,
      id: ref.id,
      run: ref.run,
      attemptsMade: 0,
      stalledCounter: ref.stalls,
    };
    const { ended } = await runJob({ ...this.house.deps, sender }, handlers.get(ref.name)!, run, onePlace);
    return ended;
  }

  private async asked(eventId: string, jobId: string) {
    const [row] = await this.house.sql<{ subject: string; seq: number; pool: string; ahead: number[] }>(
      `select e.subject_id as subject, e.seq::float8, (select j.pool from jobs j where j.id = $2) as pool,
              array(select o.seq::float8 from events o join webhook_deliveries d on d.event_id = o.id
                     where o.subject_id = e.subject_id and o.seq < e.seq and d.state = 'pending') as ahead
         from events e where e.id = $1`,
      [eventId, jobId],
    );
    if (row!.ahead.length > 0) this.faults.push(row!);
    return row!;
  }

  private accept({ subject, seq }: { subject: string; seq: number }) {
    const known = this.accepted.get(subject) ?? [];
    if (!known.includes(seq)) this.accepted.set(subject, [...known, seq]);
  }

  /** Events of one subject, in one transaction. */
  emit = (subjectId: string, count: number) =>
    this.house.ledger.transact({ locks: [subjectLock('conversation', subjectId)] }, async (tx) => {
      const { organizationId } = this.house;
      for (let index = 0; index < count; index += 1)
        tx.emit(conversationUpdated, { conversation_id: subjectId, status: 'open' }, { organizationId });
    });

  /** Whatever is planned for later is due now, and every look of the sweep too. */
  async moveOn() {
    const { sql, database, ledger } = this.house;
    await sql(
      `update jobs set run_at = clock_timestamp() + interval '11 s', check_at = clock_timestamp() where state = 'queued' and ${isParked}`,
    );
    await ledger.dispatch({ ...nothingDispatched(), rows: await handOverParked(database, 1_000, 1_000) });
    await sql(
      `update jobs set run_at = clock_timestamp(), check_at = clock_timestamp() where state = 'queued' and slot_at is null`,
    );
  }

  async sweep() {
    await this.house.sql(`update jobs set check_at = clock_timestamp() where state = 'queued'`);
    await this.house.sweepAll();
  }

  private readonly locks = () => [endpointLock(this.endpointId)];
  private readonly transact = () => transactFor(this.house.ledger.transact, this.house.organizationId);
  switchOff = (held: HeldPolicy) =>
    this.transact()({ locks: this.locks() }, (tx) => switchOff(tx, this.endpointId, held, 'by hand'));
  switchOn = (held: HeldPolicy) => this.transact()({ locks: this.locks() }, (tx) => switchOn(tx, this.endpointId, held));

  /** A replay of one that is pending: tried now. */
  async hasten(place: number) {
    const rows = await this.house.sql<{ id: string }>(`select id from webhook_deliveries where state = 'pending' order by id`);
    const id = rows[place % rows.length]?.id;
    const own = ownRows(this.house.database, this.house.organizationId);
    if (id) await this.transact()(replayOf(own, id), (tx) => replayDelivery(tx.own, id));
  }

  /** All that wait have one try left. */
  async wearOut() {
    await this.house.sql(`update jobs set attempts = 9 where name = 'webhooks.deliver' and state <> 'failed'`);
  }

  async fill() {
    for (const pool of poolsOf(this.house.organizationId, this.endpointId)) await this.house.ledger.fill(pool);
  }

  /** Enables the endpoint, and answers 200 until nothing is to be done. */
  async finishAll() {
    for (let rounds = 0; rounds < 300; rounds += 1) {
      await this.workers.end(1_000, 0, 'ok');
      await this.switchOn('keep');
      await this.moveOn();
      await this.sweep();
      await this.fill();
      await this.workers.begin(1_000, 0);
      const live = await this.house.sql(`select 1 from jobs where state in ('blocked', 'waiting', 'queued')`);
      if (live.length === 0) return;
      await sleep(5);
    }
    throw new Error(`Not finished: ${JSON.stringify(await this.house.rows())}`);
  }

  states = async () =>
    (
      await this.house.sql<{ subject: string; seq: number; state: string }>(
        `select e.subject_id as subject, e.seq::float8, d.state
           from webhook_deliveries d join events e on e.id = d.event_id order by e.seq`,
      )
    ).map((row) => ({ ...row, isAccepted: this.accepted.get(row.subject)?.includes(row.seq) ?? false }));
}
