import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isCalm } from '../hostile-work.ts';
import { type Load, meterLoad } from '../load.ts';
import { insertFailed } from '../past-deliveries.ts';
import type { Process } from '../processes.ts';
import type { Stage } from '../stage.ts';
import type { Met } from '../victims/victim.ts';
import { openWebhook } from '../victims/webhook.ts';
import { askToRecover, callOff } from './kanal-api.ts';

export type Round = Met & { load: Load };
export type Beside = { name: string; what: string; idle: Round[]; busy: Round[]; firstMs: number[]; perSecond: number[] };

/** Live deliveries have gone on so long when the round begins, and the recover, where there is one, a second less. */
const leadSeconds = 3;
const askedAfterMs = 1_000;

/** Live deliveries at an even pace, alternately without and with a recover of `endpointId` going on; it is called off after each round. */
export async function besideRecover(
  stage: Stage,
  { base, worker }: { base: string; worker: Process },
  { name, endpointId, failed }: { name: string; endpointId: string; failed: number },
  rounds: number,
  seconds: number,
): Promise<Beside> {
  const { sql, tenant } = stage.kanal;
  await insertFailed(sql, { organizationId: tenant.organizationId, endpointId }, failed);
  const victim = await openWebhook(stage, base, true);
  const result: Beside = { name, what: victim.what, idle: [], busy: [], firstMs: [], perSecond: [] };
  await victim.round(1);
  for (let number = 0; number < rounds; number += 1)
    for (const kind of number % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
      if (!(await isCalm(sql, tenant.organizationId, base))) throw new Error(`recover: ${name}: the last round is not over`);
      const lead = victim.round(leadSeconds);
      await sleep(askedAfterMs);
      const askedAt = Date.now();
      const operationId = kind === 'busy' ? await askToRecover(base, tenant, endpointId) : undefined;
      await lead;
      const from = Date.now();
      const metered = await meterLoad(worker);
      const met = await victim.round(seconds);
      result[kind].push({ ...met, load: await metered() });
      if (!operationId) continue;
      result.perSecond.push((await recovered(sql, endpointId, from, Date.now())).count / ((Date.now() - from) / 1000));
      await callOff(base, tenant, operationId);
      result.firstMs.push((await recovered(sql, endpointId, askedAt, Date.now())).firstAt - askedAt);
    }
  await victim.close();
  return result;
}

/** By the log of attempts, which is written after the receiver's answer. Times in ms. */
export async function recovered(sql: pg.Pool, endpointId: string, from: number, until: number) {
  const { rows } = await sql.query<{ count: number; first: Date | null }>(
    `select count(*)::int as count, min(created_at) as first
       from webhook_attempts
      where endpoint_id = $1 and trigger = 'recover' and created_at between $2 and $3`,
    [endpointId, new Date(from), new Date(until)],
  );
  const { count, first } = rows[0]!;
  return { count, firstAt: first?.getTime() ?? Number.NaN };
}
