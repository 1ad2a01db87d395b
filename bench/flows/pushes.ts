import { setTimeout as sleep } from 'node:timers/promises';
import { openHostile, resetSandbox } from '../hostile-tenant.ts';
import { isCalm, takeAwayWithoutWaiting } from '../hostile-work.ts';
import type { Stage } from '../stage.ts';
import { median } from '../statistics.ts';
import type { Tenant } from '../tenant.ts';
import { openVictim } from '../victims/index.ts';
import type { Met } from '../victims/victim.ts';
import { accountId } from './insert.ts';

/** At four calls each and 0.9 calls a second they last for 37 minutes. */
const waiting = 500;
const connections = 16;
/** The first of them are under way when the round begins. */
const leadMs = 2_000;
const longestPushMs = 60_000;
const lookMs = 10;

/** One push of a new flow of another account, in ms after it was asked. */
type OtherPush = { madeMs: number; doneMs: number };
type Round = Met & { other: OtherPush };
type Calls = { accepted: number; max_in_one_second: number };
export type FlowPushes = {
  what: string;
  idle: Round[];
  busy: Round[];
  /** Calls a second of the account whose pushes wait, in each busy round. */
  paces: number[];
  /** The most management calls in any second, as the sandbox counts, by account. */
  most: Record<string, number>;
  isOver: boolean;
};

/** One worker. Messages of a channel, alternately alone and beside pushes that wait for its account; one push of another account beside both. */
export async function flowPushesBench(stage: Stage, rounds: number, seconds: number): Promise<FlowPushes> {
  const { kanal, sandbox } = stage;
  const { tenant } = kanal;
  const { tenant: other } = await openHostile(stage);
  const { process: web, base } = await kanal.startWeb();
  const worker = kanal.startWorker('');
  const callsOf = async () =>
    (await sandbox.control<{ accounts: Record<string, { flow_calls: Calls }> }>('GET', '/stats')).accounts;
  const result: FlowPushes = { what: '', idle: [], busy: [], paces: [], most: {}, isOver: true };
  try {
    await resetSandbox(stage);
    const flows = await each(
      Array.from({ length: waiting }, (_, index) => `Waiting ${index}`),
      (name) => createFlow(base, tenant, name),
    );
    const victim = await openVictim.message(stage, base, true);
    result.what = victim.what;
    await victim.round(1);
    await pushOther(stage, base, other, 'warm-up');
    for (let number = 0; number < rounds; number += 1)
      for (const kind of number % 2 === 0 ? (['idle', 'busy'] as const) : (['busy', 'idle'] as const)) {
        if (!(await isCalm(kanal.sql, tenant.organizationId, base))) result.isOver = false;
        if (kind === 'busy') {
          await each(flows, (id) => post(base, tenant, `/v1/flows/${id}/push`));
          await sleep(leadMs);
        }
        const before = (await callsOf())[accountId]!.flow_calls.accepted;
        const startedAt = performance.now();
        const [met, pushed] = await Promise.all([victim.round(seconds), pushOther(stage, base, other, `${kind} ${number}`)]);
        result[kind].push({ ...met, other: pushed });
        if (kind === 'idle') continue;
        const after = (await callsOf())[accountId]!.flow_calls.accepted;
        result.paces.push((after - before) / ((performance.now() - startedAt) / 1000));
        // Those that are under way end by themselves before the next round.
        const condition = `organization_id = $1 and name = 'flows.push' and state in ('waiting', 'blocked')`;
        if (!(await takeAwayWithoutWaiting(kanal.sql, condition, [tenant.organizationId]))) result.isOver = false;
        console.error(`flow-pushes: round ${number + 1}: p99 ${met.p99.toFixed(1)} ms`);
      }
    await victim.close();
    for (const [id, { flow_calls }] of Object.entries(await callsOf())) result.most[id] = flow_calls.max_in_one_second;
    return result;
  } finally {
    await Promise.all([web.stop(), worker.stop()]);
  }
}

async function each<Item, Answer>(items: Item[], work: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = items.entries();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const [index, item] of left) answers[index] = await work(item);
    }),
  );
  return answers;
}

async function post<Reply>(base: string, { apiKey }: Tenant, path: string, body: object = {}): Promise<Reply> {
  const response = await fetch(base + path, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`flow-pushes, ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Reply>;
}

const screens = [
  {
    id: 'DAY',
    title: 'When?',
    components: [{ type: 'date', id: 'day', label: 'Day', required: true }],
    actions: [{ type: 'navigate', label: 'Next', target: 'PEOPLE' }],
  },
  {
    id: 'PEOPLE',
    title: 'How many?',
    components: [{ type: 'text_input', id: 'people', label: 'People', required: true }],
    actions: [{ type: 'complete', label: 'Book' }],
  },
];

async function createFlow(base: string, tenant: Tenant, name: string): Promise<string> {
  const builder_json = { mode: 'visual', flow: { id: 'booking', name, screens } };
  const about = { name, category: 'appointment_booking', channel_id: tenant.channelId, builder_json };
  return (await post<{ id: string }>(base, tenant, '/v1/flows', about)).id;
}

type Seen = { is_made: boolean; is_done: boolean; failure: object | null };

/** Until the provider has its document. */
async function pushOther({ kanal: { sql } }: Stage, base: string, other: Tenant, name: string): Promise<OtherPush> {
  const id = await createFlow(base, other, `Other ${name}`);
  const askedAt = performance.now();
  await post(base, other, `/v1/flows/${id}/push`);
  let madeMs = Number.NaN;
  for (;;) {
    const { rows } = await sql.query<Seen>(
      `select provider_flow_id is not null as is_made, doing is null as is_done, failure from flows where organization_id = $1 and id = $2`,
      [other.organizationId, id],
    );
    const { is_made, is_done, failure } = rows[0]!;
    const tookMs = performance.now() - askedAt;
    if (is_made && Number.isNaN(madeMs)) madeMs = tookMs;
    if (is_done && !failure) return { madeMs, doneMs: tookMs };
    if (is_done || tookMs > longestPushMs) throw new Error(`flow-pushes: the other account's push: ${JSON.stringify(failure)}`);
    await sleep(lookMs);
  }
}

const maxRatio = 2;
const maxCallsInOneSecond = 1;
const yes = (holds: boolean) => (holds ? 'yes' : 'no');

/** Medians of the rounds, but the most calls in one second, which no round may exceed. */
export function flowPushesReport({ what, idle, busy, paces, most, isOver }: FlowPushes): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const of = (among: Round[], pick: (met: Round) => number) => median(among.map(pick));
  const ratioOf = (pick: (met: Round) => number) => of(busy, pick) / of(idle, pick);
  const both = (pick: (met: Round) => number) => `${of(idle, pick).toFixed(1)} / ${of(busy, pick).toFixed(1)}`;
  const late = busy.reduce((sum, met) => sum + met.late, 0);
  const faults = busy.reduce((sum, { failed, refused, lost }) => sum + failed + refused + lost, 0);
  const compared = (name: string, pick: (met: Round) => number, more: string, holds = true) =>
    line([
      name,
      `${both(pick)}${more}, ratio **${ratioOf(pick).toFixed(2)}**`,
      `ratio at most ${maxRatio}`,
      yes(holds && ratioOf(pick) <= maxRatio),
    ]);
  const mostOfAll = Math.max(...Object.values(most));
  return [
    line(['what', 'measured', 'aim', 'held']),
    line(['---', '---', '---', '---']),
    compared(
      `${what}, on the channel of ${waiting} pushes: p99 ms without / with them`,
      ({ p99 }) => p99,
      ` (p50 ${both(({ p50 }) => p50)}; late ${late}, refused or lost ${faults})`,
      late === 0 && faults === 0,
    ),
    compared("another account's push: ms until the provider has made the flow", ({ other }) => other.madeMs, ''),
    compared("another account's push: ms until it has the document", ({ other }) => other.doneMs, ''),
    line([
      'most management calls of an account in any sliding second, as the provider counts',
      `${Object.values(most).join(', ')} (${median(paces).toFixed(2)} a second while they wait)`,
      `at most ${maxCallsInOneSecond}`,
      yes(mostOfAll <= maxCallsInOneSecond),
    ]),
    ...(isOver ? [] : ['', 'A round had not ended when the next began.']),
  ].join('\n');
}
