import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import { postMessageRequest } from '../paths/http.ts';
import type { Report } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import { appSecret } from '../tenant.ts';
import type { Meter } from './meter.ts';

const queues = 'messages,bulk-messages,webhooks,webhook-retries,statuses,default';
const longestMs = 300_000;

/**
 * Kanal's messages all the way, at an even pace: accepted, sent to the sandbox, the webhook of it delivered, the sandbox's one status
 * (delivered) taken in and applied. The warm-up is a tenth as many.
 */
export async function wholeWay(stage: Stage, messages: number, perSecond: number, meter: Meter): Promise<void> {
  const { kanal, receiver, sandbox } = stage;
  const { tenant, sql } = kanal;
  await sql.query(`update webhook_endpoints set event_types = '{message.sent}'`);
  const web = await kanal.startWeb();
  const worker = kanal.startWorker(queues);
  // The sandbox does not know that these people wrote just now.
  await sandbox.control('POST', '/behaviour', { auto_status: ['delivered'], window: 'off' });
  const webhook = { webhook_url: `${web.base}/v1/providers/messaging-app/webhook`, app_secret: appSecret };
  await sandbox.control('POST', '/subscription', webhook);

  let next = 0;
  let accepted = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    next += 1;
    return { ...request, ...postMessageRequest(tenant, tenant.people[next % tenant.people.length]!.phone) };
  };
  const post = async (amount: number) => {
    await receiver.process.ask({ reset: true, secret: tenant.endpointSecret });
    const result = await autocannon({
      url: web.base,
      connections: 8,
      amount,
      overallRate: perSecond,
      requests: [{ setupRequest }],
    });
    if (result.non2xx + result.errors > 0) throw new Error(`${result.non2xx} refused, ${result.errors} errors`);
    accepted += result['2xx'];
    await settled(amount);
  };
  const settled = async (amount: number) => {
    let last: object | undefined;
    for (const until = Date.now() + longestMs; Date.now() < until; await sleep(250)) {
      const { distinct, repeats, forged } = await receiver.process.ask<Report>({ secret: tenant.endpointSecret });
      if (repeats + forged > 0) throw new Error(`${repeats} webhooks twice, ${forged} forged`);
      last = { distinct, amount };
      if (distinct < amount) continue;
      const { rows } = await sql.query(`
        select exists (select 1 from jobs where state in ('blocked', 'waiting', 'queued')) as is_open,
               (select count(*)::int from messages where status = 'delivered') as delivered`);
      if (!rows[0].is_open && rows[0].delivered === accepted) return;
      last = rows[0];
    }
    throw new Error(`${amount} messages did not come to an end: ${JSON.stringify(last)} of ${accepted}`);
  };

  try {
    await post(Math.ceil(messages / 10));
    await meter.rest([[kanal, { web: web.process.pid, worker: worker.pid }]]);
    await meter.begin(kanal);
    await post(messages);
    await meter.end();
  } finally {
    await sandbox.control('POST', '/subscription', { webhook_url: null });
    await sandbox.control('POST', '/behaviour', { auto_status: [], window: 'async' });
    await Promise.all([web.process.stop(), worker.stop()]);
    await sql.query(`update webhook_endpoints set event_types = '{}'`);
  }
}
