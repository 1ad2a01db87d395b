import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { pipeline } from '../../support/factories/pipeline.ts';
import { answered } from '../answered.ts';
import { randomFrom, seed } from '../options.ts';
import { type BackendName, limitMs, type Stack, startStack } from '../stack.ts';
import { crmSizes } from './options.ts';

let stack: Stack;
afterEach(() => stack.stop());

const { deals: dealCount, moves, kills, maxPauseMs } = crmSizes;
const clients = 8;

type Step = { deal: string; from: string | null; to: string };

/** From the history and from the events: each change of a stage, by deal, in the order of each. */
const stepsOfHistory = `
  select object_id as deal, changes -> 'stage_id' ->> 'from' as "from", changes -> 'stage_id' ->> 'to' as "to"
    from crm_history
   where object_kind = 'deal'
     and changes ? 'stage_id'
     and revision > 1
   order by object_id, revision`;
const stepsOfEvents = `
  select subject_id as deal, data ->> 'from_stage_id' as "from", data ->> 'to_stage_id' as "to"
    from events
   where type = 'deal.stage_changed'
   order by subject_id, seq`;
const dealsNow = `
  select id, stage_id, position, status, revision,
         (select count(*)::int from crm_history h where h.organization_id = d.organization_id and h.object_id = d.id) as changes
    from deals d`;
type DealNow = { id: string; stage_id: string; position: string; status: string; revision: number; changes: number };

/** As long as there is work: all web processes at once, or the database. */
async function strikeProcesses(random: () => number, isOver: () => boolean): Promise<string[]> {
  const struck: string[] = [];
  while (struck.length < kills && !isOver()) {
    await sleep(random() * maxPauseMs);
    if (isOver()) break;
    if (random() < 0.7) {
      await stack.restartWeb();
      struck.push('web');
    } else {
      await stack.postgres.kill('SIGQUIT');
      await stack.postgres.start();
      struck.push('database');
    }
  }
  return struck;
}

test.each<BackendName>(['postgres', 'redis'])(
  'deals that many move, win and reopen at once have one path each, in history and events: %s',
  async (backend) => {
    stack = await startStack({ backend, webs: 2, workers: 1, workerEnv: () => ({ LOG_LEVEL: 'warn' }) });
    const rows = <Row>(text: string) => query<Row>(stack.database.em(), text);
    const random = randomFrom(seed);
    const { stages } = await pipeline(stack.database.em(), stack.organizationId);
    const open = [stages.first, stages.second, stages.third];
    const ids: string[] = [];
    for (let number = 0; number < dealCount; number += 1) {
      const made = await answered(stack, 'POST', '/v1/crm/deals', { title: `Deal ${number}`, stage_id: open[number % 3] });
      expect(made.status).toBe(201);
      ids.push(made.body.id as string);
    }
    const one = <Item>(items: Item[]) => items[Math.floor(random() * items.length)]!;
    const act = async (): Promise<number> => {
      const path = `/v1/crm/deals/${one(ids)}`;
      const chance = random();
      if (chance < 0.2) return (await answered(stack, 'POST', `${path}/win`, {})).status;
      if (chance < 0.3) return (await answered(stack, 'POST', `${path}/lose`, { lost_reason: 'Budget' })).status;
      if (chance < 0.5) return (await answered(stack, 'POST', `${path}/reopen`, {})).status;
      // A neighbour that has left the stage meanwhile is refused.
      const place = random() < 0.5 ? { after_id: one(ids) } : {};
      return (await answered(stack, 'POST', `${path}/move`, { stage_id: one(open), ...place })).status;
    };

    let left = moves;
    let working = clients;
    const statuses: number[] = [];
    const client = async () => {
      while (left-- > 0) statuses.push(await act());
      working -= 1;
    };
    const [struck] = await Promise.all([
      strikeProcesses(random, () => working === 0),
      ...Array.from({ length: clients }, client),
    ]);

    const counts = [200, 409, 422].map((status) => `${statuses.filter((each) => each === status).length} × ${status}`);
    process.stdout.write(`moves, ${backend}: seed ${seed}, ${counts.join(', ')}, struck: ${struck.join(', ')}\n`);
    expect(statuses.filter((status) => ![200, 409, 422].includes(status))).toEqual([]);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(moves / 4);

    const [history, events, now] = [
      await rows<Step>(stepsOfHistory),
      await rows<Step>(stepsOfEvents),
      await rows<DealNow>(dealsNow),
    ];
    expect(history.length).toBeGreaterThan(moves / 10);
    expect(events).toEqual(history);
    for (const { id, stage_id, status, revision, changes } of now) {
      const path = history.filter(({ deal }) => deal === id);
      for (const [place, { from }] of path.entries()) if (place > 0) expect(from).toBe(path[place - 1]!.to);
      if (path.length > 0) expect(path.at(-1)!.to).toBe(stage_id);
      const kind = stage_id === stages.won ? 'won' : stage_id === stages.lost ? 'lost' : 'open';
      expect([status, changes]).toEqual([kind, revision]);
    }
    for (const stage of Object.values(stages)) {
      const positions = now.filter(({ stage_id }) => stage_id === stage).map(({ position }) => position);
      expect(new Set(positions).size).toBe(positions.length);
    }

    const stale = now.find(({ revision, status }) => revision > 1 && status === 'open')!;
    const other = open.find((stage) => stage !== stale.stage_id);
    const refused = await answered(stack, 'POST', `/v1/crm/deals/${stale.id}/move`, {
      stage_id: other,
      revision: stale.revision - 1,
    });
    expect(refused.status).toBe(409);
    expect(await rows<DealNow>(dealsNow)).toEqual(now);
    expect(await checkJobs(stack.database)).toEqual([]);
  },
  limitMs,
);
