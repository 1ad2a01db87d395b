import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isCalm } from '../hostile-work.ts';
import { insertFailed } from '../past-deliveries.ts';
import type { Usage } from '../probe.ts';
import type { Process } from '../processes.ts';
import type { Report } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import type { Met } from '../victims/victim.ts';
import { openWebhook } from '../victims/webhook.ts';
import { recovered } from './beside.ts';
import { askToRecover } from './kanal-api.ts';

export type Sample = { done: number; web: Usage; worker: Usage };
export type Whole = { failed: number; took: number; firstMs: number; samples: Sample[]; live: Met[] };

type On = { web: Process; worker: Process; base: string; receiver: Process; endpointId: string; secret: string };

const lookMs = 1_000;
const longestMs = 600_000;

/** All failed deliveries of one endpoint recovered while those of another go on. Throws unless each was delivered, once. */
export async function wholeRecover(stage: Stage, on: On, failed: number, seconds: number): Promise<Whole> {
  const { sql, tenant } = stage.kanal;
  const { web, worker, base, receiver, endpointId, secret } = on;
  await insertFailed(sql, { organizationId: tenant.organizationId, endpointId }, failed);
  const victim = await openWebhook(stage, base, true);
  await victim.round(seconds);
  await receiver.ask({ reset: true, secret });
  const samples: Sample[] = [];
  const sample = async (done: number) => samples.push({ done, web: await web.usage(), worker: await worker.usage() });
  await sample(0);

  let isOver = false;
  const live: Met[] = [];
  const goOn = async () => {
    while (!isOver) live.push(await victim.round(seconds));
  };
  const going = goOn();
  await sleep(lookMs);
  const askedAt = Date.now();
  const operationId = await askToRecover(base, tenant, endpointId);
  const until = askedAt + longestMs;
  for (let shown = await operation(sql, operationId); shown.state !== 'done'; shown = await operation(sql, operationId)) {
    if (shown.state === 'failed' || Date.now() > until) throw new Error(`recover: ${shown.done} of ${failed}, ${shown.state}`);
    await sleep(lookMs);
    await sample(shown.done);
  }
  isOver = true;
  await going;
  if (!(await isCalm(sql, tenant.organizationId, base))) throw new Error('recover: deliveries are left');
  const took = (await lastAt(sql, endpointId)) - askedAt;
  await sample((await operation(sql, operationId)).done);
  await assertDelivered(sql, endpointId, failed, await receiver.ask<Report>({ secret }));
  await victim.close();
  const { firstAt } = await recovered(sql, endpointId, askedAt, Date.now());
  return { failed, took, firstMs: firstAt - askedAt, samples, live };
}

async function operation(sql: pg.Pool, id: string): Promise<{ state: string; done: number }> {
  const { rows } = await sql.query<{ state: string; done: number }>(
    `select state, coalesce((progress ->> 'done')::int, 0) as done from jobs where id = $1`,
    [id],
  );
  return rows[0]!;
}

async function lastAt(sql: pg.Pool, endpointId: string): Promise<number> {
  const { rows } = await sql.query<{ last: Date }>(
    'select max(finished_at) as last from webhook_deliveries where endpoint_id = $1',
    [endpointId],
  );
  return rows[0]!.last.getTime();
}

/** By the table, by the log and by the receiver, which checks each signature. */
async function assertDelivered(sql: pg.Pool, endpointId: string, failed: number, { distinct, repeats, forged }: Report) {
  const { rows } = await sql.query<{ deliveries: number; succeeded: number; attempts: number }>(
    `select count(*)::int as deliveries,
            (count(*) filter (where state = 'succeeded'))::int as succeeded,
            (select count(*)::int from webhook_attempts where endpoint_id = $1 and trigger = 'recover' and status = 200) as attempts
       from webhook_deliveries
      where endpoint_id = $1`,
    [endpointId],
  );
  const { deliveries, succeeded, attempts } = rows[0]!;
  if ([deliveries, succeeded, attempts, distinct].some((count) => count !== failed) || repeats + forged > 0)
    throw new Error(
      `recover: of ${failed}: ${succeeded} succeeded, ${attempts} attempts, ${distinct} received, ${repeats} twice, ${forged} forged`,
    );
}
