import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { messageRows } from '../../support/work/messages.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { addPeople, connectChannels, variants } from './audience.ts';
import { disturb } from './disturb.ts';
import { campaignSizes } from './options.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { recipients, channels, kills, pauses, maxPauseMs } = campaignSizes;
/** So long nothing may stand still. */
const standstillMs = 120_000;
const ratePerChannel = 150;

type Row = {
  id: string;
  contact_id: string;
  status: string;
  failure_code: string;
  message_id: string | null;
  message_status: string | null;
};
const rowsStatement = `
  select r.id, r.contact_id, r.status, r.failure_code, r.message_id, m.status as message_status
    from campaign_recipients r
    left join messages m on m.organization_id = r.organization_id and m.id = r.message_id
   where r.campaign_id = $1`;

type Shown = { status: string; counts: Record<string, number> };

async function start(): Promise<string> {
  const channelIds = await connectChannels(stack, channels);
  await addPeople(stack, recipients);
  // Of a large campaign one status each: three would be most of its time, and their order is not what it is for.
  if (recipients > 10_000) await stack.control('POST', '/behaviour', { auto_status: ['delivered'] });
  const draft = await stack.callSurely<{ id: string }>('POST', '/v1/campaigns', {
    name: 'Autumn',
    channel_ids: channelIds,
    variants,
    audience: { search: 'person' },
  });
  if (draft.status !== 201) throw new Error(`campaign: ${JSON.stringify(draft.body)}`);
  const started = await stack.callSurely('POST', `/v1/campaigns/${draft.body.id}/start`);
  if (started.status !== 200) throw new Error(`start: ${JSON.stringify(started.body)}`);
  return draft.body.id;
}

const isToCome = (status: number) => status >= 500;

/** Pauses and resumes while it runs; a campaign that has ended meanwhile answers 409. */
async function pauseAgain(id: string, random: () => number, isOver: () => boolean): Promise<number> {
  let count = 0;
  while (count < pauses && !isOver()) {
    await sleep(500 + random() * maxPauseMs * 2);
    const paused = await stack.callSurely<Shown>('POST', `/v1/campaigns/${id}/pause`, undefined, isToCome);
    if (paused.status === 409) break;
    await sleep(random() * 1_000);
    const resumed = await stack.callSurely<Shown>('POST', `/v1/campaigns/${id}/resume`, undefined, isToCome);
    expect(resumed.status).toBe(200);
    count += 1;
  }
  return count;
}

const progressStatement = `
  select count(*) filter (where status = 'pending')::int as pending,
         count(*) filter (where status = 'queued')::int as queued,
         count(*)::int as total
    from campaign_recipients
   where campaign_id = $1`;

async function untilCompleted(id: string): Promise<void> {
  let last = '';
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(500)) {
    const progress = await query(stack.database.em(), progressStatement, [id]).catch(() => undefined);
    const shown = await stack.call<Shown>('GET', `/v1/campaigns/${id}`).catch(() => undefined);
    if (shown?.status === 200 && shown.body.status === 'completed') return;
    const now = JSON.stringify([progress, shown?.body.status]);
    if (progress && now !== last) [last, movedAt] = [now, Date.now()];
  }
  throw new Error(`Not completed: ${last}\n${stack.workerOutput().slice(-3_000)}`);
}

const openStatement = `
  select (select count(*)::int from provider_webhooks where state = 'received')
       + (select count(*)::int from unmatched_statuses where state = 'waiting') as open`;

/** What the provider told may still wait: messages go first, and each has three statuses. */
async function untilApplied() {
  let last = 0;
  for (let movedAt = Date.now(); Date.now() < movedAt + standstillMs; await sleep(500)) {
    const [row] = await query<{ open: number }>(stack.database.em(), openStatement);
    if (row!.open === 0) return;
    if (row!.open !== last) [last, movedAt] = [row!.open, Date.now()];
  }
  throw new Error(`${last} webhooks of the provider were not applied`);
}

test.each<BackendName>(['postgres', 'redis'])(
  'each recipient of a campaign is written to once, whatever is killed, emptied, restarted and paused: %s',
  async (backend) => {
    process.stdout.write(`campaigns, ${backend}: seed ${seed}\n`);
    stack = await startStack({ backend, rate: ratePerChannel, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const startedAt = performance.now();
    const id = await start();
    let isOver = false;
    const [, done, paused] = await Promise.all([
      untilCompleted(id).finally(() => {
        isOver = true;
      }),
      disturb(stack, () => isOver, { random: randomFrom(seed), kills, maxPauseMs }),
      pauseAgain(id, randomFrom(seed + 1), () => isOver),
    ]);
    await untilApplied();
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);

    const rows = await query<Row>(stack.database.em(), rowsStatement, [id]);
    expect(rows.length).toBe(recipients);
    expect(new Set(rows.map((row) => row.contact_id)).size).toBe(recipients);
    const open = rows.filter(({ status }) => status === 'pending' || status === 'queued');
    expect(open.slice(0, 3)).toEqual([]);
    const unlike = rows.filter((row) => row.message_id !== null && row.status !== row.message_status);
    expect(unlike.slice(0, 3)).toEqual([]);

    const { body: shown } = await stack.call<Shown>('GET', `/v1/campaigns/${id}`);
    const counted = Object.fromEntries(
      ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'].map((status) => [
        status,
        rows.filter((row) => row.status === status).length,
      ]),
    );
    if (recipients <= 50_000) expect(shown.counts).toEqual({ total: recipients, ...counted });

    const { messages } = await stack.control<{ messages: { callback_data: string; to: string }[] }>('GET', '/messages');
    const byMessage = Map.groupBy(messages, ({ callback_data }) => callback_data);
    const resent = await messageRows.all(stack.database, { campaign_id: id, resends: { $gt: 0 } }, ['id']);
    const lost = new Set(resent.map((row) => row.id));
    const tooOften = [...byMessage].filter(([messageId, all]) => all.length > (lost.has(messageId) ? 2 : 1));
    expect(tooOften.slice(0, 3)).toEqual([]);
    const arrived = new Set(messages.map(({ to }) => to));
    expect(byMessage.size).toBe(arrived.size);
    const certain = rows.filter(({ status }) => status !== 'skipped' && status !== 'failed');
    const notThere = certain.filter(({ message_id }) => !byMessage.has(message_id!));
    expect(notThere.slice(0, 3)).toEqual([]);
    // Whether the provider took these, nobody knows.
    const unknown = rows.filter(({ failure_code }) => failure_code === 'outcome_unknown').length;
    expect(arrived.size).toBeLessThanOrEqual(certain.length + unknown);
    process.stdout.write(
      `campaigns, ${backend}: ${recipients} recipients over ${channels} channels in ${seconds} s, ${JSON.stringify(done)}, ${paused} pauses, ${JSON.stringify(counted)}, ${messages.length - byMessage.size} sent twice as their answer was lost\n`,
    );
    expect(Object.keys(done).length).toBeGreaterThan(0);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  Math.max(limitMs, recipients * 45),
);
