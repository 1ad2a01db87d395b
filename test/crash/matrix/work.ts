import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { query } from '../../../src/platform/database/query.ts';
import type { Stack } from '../stack.ts';

type Reply<Body> = { status: number; body: Body };

/** Asks again, with the same Idempotency-Key, until there is an answer. */
export async function surely<Body>(stack: Stack, path: string, body: object): Promise<Reply<Body>> {
  const key = randomUUID();
  let last: unknown;
  for (const until = Date.now() + 180_000; Date.now() < until; await sleep(100)) {
    const reply = await stack.call<Body>('POST', path, body, { 'idempotency-key': key }).catch((error) => {
      last = error;
    });
    if (!reply) continue;
    if (reply.status < 400) return reply;
    last = reply.body;
    if (reply.status < 500 && reply.status !== 409) break;
  }
  throw new Error(`POST ${path}: ${inspect(last)}`);
}

/** So many new contacts, each of them an event; their ids, and when half of them were there. */
export async function acceptContacts(stack: Stack, count: number, parallel = 10) {
  const ids: string[] = [];
  let middle = new Date();
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      const contact = { external_source: 'matrix', external_id: String(next) };
      const { status, body } = await surely<{ data: { id: string } }>(stack, '/v1/contacts', contact);
      if (status !== 201) throw new Error(`A contact that was there before: ${status}`);
      if (ids.push(body.data.id) === Math.floor(count / 2)) middle = new Date();
    }
  };
  await Promise.all(Array.from({ length: parallel }, one));
  return { ids, middle };
}

/** So long nothing may stand still. */
const standstillMs = 60_000;

/** What somebody else has locked is passed over: it is at work, and these two come again. */
const change = (settings: string, condition: string) => `
  update jobs
     set ${settings}
   where id = any(array(
     select id
       from jobs
      where ${condition}
        for no key update skip locked))`;

/** Later tries are hours away: for the test it is their time at once. Never of endpoints that shall keep theirs. */
const hasten = change(
  'run_at = clock_timestamp(), check_at = clock_timestamp()',
  `pool = any($1) and state in ('queued', 'waiting') and run_at > clock_timestamp()`,
);

/** What an emptied queue has lost is looked for at once, and not when it is due: what is under way takes less than this. */
const lookAgain = change(
  'check_at = clock_timestamp()',
  `state = 'queued' and check_at > clock_timestamp() and coalesce(slot_at, run_at) < clock_timestamp() - interval '3 s'`,
);

const openWork = `
  select (select count(*)::int from webhook_deliveries where state = 'pending' and endpoint_id = any($1)) as deliveries,
         (select count(*)::int from webhook_replays where state <> 'ended') as replays,
         (select count(*)::int from jobs where state = 'queued' and slot_at is not null) as runs`;

/** Until each delivery to these endpoints has come to its end, the replays too, and no run is under way. */
export async function untilEnded(stack: Stack, endpointIds: string[]) {
  const pools = endpointIds.map((id) => `endpoint:${id}`);
  const em = stack.database.em();
  let least = Number.POSITIVE_INFINITY;
  let open: { deliveries: number; replays: number; runs: number } | undefined;
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(300)) {
    await query(em, hasten, [pools]);
    await query(em, lookAgain);
    [open] = await query<NonNullable<typeof open>>(em, openWork, [endpointIds]);
    if (open!.deliveries + open!.replays + open!.runs === 0) return;
    // A later try is progress too.
    const [{ left } = { left: 0 }] = await query<{ left: number }>(
      em,
      `select (-sum(attempts))::int as left from webhook_deliveries`,
    );
    if (left < least) [least, movedAt] = [left, Date.now()];
  }
  const rows = await query(
    em,
    `select name, queue, state, pool, run, attempts, run_at - now() as due, check_at - now() as check, slot_at, error
       from jobs
      where state not in ('done', 'failed') order by seq limit 8`,
  );
  throw new Error(`Not ended: ${JSON.stringify(open)} ${JSON.stringify(rows)}\n${stack.workerOutput().slice(-3000)}`);
}
