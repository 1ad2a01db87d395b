import type { Client } from 'undici';
import type { Source } from '../src/platform/database/database.ts';
import { explainingPool, plansOf } from './contacts/plan.ts';
import type { Side } from './stage.ts';
import { percentile } from './statistics.ts';

/** Of each read and organization. */
export const requests = 100;
const warmUps = 10;
export const pageSize = 10;
export const farPage = 1_000;
/** A list may compare so many records of which no index knows whether they are an answer. */
const boundOfChecks = 100_000;

/** Ids of one organization's, others for each request. `cursor`: empty, or that of the far page. */
export type AskedOf = { owner: { apiKey: string }; cursor: string };

/** As a client asks for it, and as the code does: the first is measured, the second shows its plans. */
export type ScaleRead<Asked extends AskedOf> = {
  name: string;
  /** What its p50 must hold: a share of the small one's, or milliseconds. */
  aim: { ratio: number } | { ms: number };
  isFar?: boolean;
  /** Instead of `farPage`, for lists that are shorter. */
  farPage?: number;
  /** It sums all that it reads. */
  isSum?: boolean;
  mayBeEmpty?: boolean;
  path(asked: Asked, limit?: number): string;
  run(source: Source, asked: Asked): Promise<unknown>;
};

export type Times = { p50: number; p99: number };
export type Measured = {
  read: Pick<ScaleRead<AskedOf>, 'name' | 'aim'>;
  large: Times;
  small: Times;
  plan: string;
  rows: number;
};
const sides = ['large', 'small'] as const;
type SideName = (typeof sides)[number];

/** The same reads of a large and a small organization, one request at a time, in turns. `walks`: those that read a table, or too much of it. */
export async function measureReads<Asked extends AskedOf>(
  bench: string,
  { kanal, client, rows }: { kanal: Side; client: Client; rows: number },
  reads: ScaleRead<Asked>[],
  samples: Record<SideName, Asked[]>,
): Promise<{ measured: Measured[]; walks: string[] }> {
  const explaining = explainingPool(kanal.env.DATABASE_URL!);
  const [measured, walks]: [Measured[], string[]] = [[], []];
  try {
    for (const read of reads) {
      const cursors = { large: '', small: '' };
      if (read.isFar) for (const side of sides) cursors[side] = await farCursor(client, bench, read, samples[side][0]!);
      const askedBy = (side: SideName, number: number): Asked => ({
        ...samples[side][number % samples[side].length]!,
        cursor: cursors[side],
      });
      const took: Record<SideName, number[]> = { large: [], small: [] };
      for (let number = -warmUps; number < requests; number += 1)
        for (const side of number % 2 === 0 ? sides : sides.toReversed()) {
          const askedAt = performance.now();
          await ask(client, bench, read, askedBy(side, number + warmUps));
          if (number >= 0) took[side].push(performance.now() - askedAt);
        }
      const plans = await plansOf(explaining, (source) => read.run(source, askedBy('large', 0)));
      const rowsRead = Math.round(Math.max(...plans.map((plan) => plan.rows)));
      const isTooMuch = !read.isSum && rowsRead > Math.max(boundOfChecks, rows / 2);
      if (plans.some(({ isWalk }) => isWalk) || isTooMuch) walks.push(read.name);
      const times = (values: number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
      const plan = [...new Set(plans.map(({ line }) => line))].join(', then ');
      measured.push({ read, large: times(took.large), small: times(took.small), plan, rows: rowsRead });
      const [large, small] = [times(took.large).p50, times(took.small).p50];
      console.error(
        `${bench}, ${read.name}: ${small.toFixed(1)} ms, ${large.toFixed(1)} ms, ${(large / small).toFixed(2)}; ${rowsRead} ${plan}`,
      );
    }
  } finally {
    await explaining.end();
  }
  return { measured, walks };
}

type Page = { items?: unknown[]; meta?: { next_cursor?: string } };

async function ask<Asked extends AskedOf>(
  client: Client,
  bench: string,
  read: ScaleRead<Asked>,
  asked: Asked,
  limit?: number,
): Promise<Page> {
  const headers = { 'x-api-key': asked.owner.apiKey };
  const { statusCode, body } = await client.request({ method: 'GET', path: read.path(asked, limit), headers });
  const page = (await body.json()) as Page;
  if (statusCode !== 200 || (page.items?.length === 0 && !read.mayBeEmpty))
    throw new Error(`${bench}, ${read.name}: ${statusCode} ${JSON.stringify(page).slice(0, 500)}`);
  return page;
}

/** As a client comes there, but by larger pages. */
async function farCursor<Asked extends AskedOf>(
  client: Client,
  bench: string,
  read: ScaleRead<Asked>,
  asked: Asked,
): Promise<string> {
  let cursor = '';
  for (let left = ((read.farPage ?? farPage) - 1) * pageSize; left > 0; left -= 100) {
    const { meta } = await ask(client, bench, read, { ...asked, cursor }, Math.min(100, left));
    if (!meta?.next_cursor) throw new Error(`${bench}, ${read.name}: the list ends before page ${read.farPage ?? farPage}`);
    cursor = meta.next_cursor;
  }
  return cursor;
}

const whole = (count: number) => count.toLocaleString('en-US');
const line = (cells: string[]) => `| ${cells.join(' | ')} |`;

const isHeld = ({ read: { aim }, large, small }: Measured) =>
  'ratio' in aim ? large.p50 / small.p50 <= aim.ratio : large.p50 <= aim.ms;

/** Times beside their aims, then the plans. `small`, `large`: rows. */
export function readTables(measured: Measured[], { small, large }: Record<SideName, number>): string[] {
  const ms = ({ p50, p99 }: Times) => [p50.toFixed(2), p99.toFixed(2)];
  const times = [small, large].flatMap((rows) => [`${whole(rows)}: p50 ms`, 'p99']);
  const head = ['read', ...times, 'ratio of p50', 'aim', 'held'];
  const rows = measured.map((one) => [
    one.read.name,
    ...ms(one.small),
    ...ms(one.large),
    `**${(one.large.p50 / one.small.p50).toFixed(2)}**`,
    'ratio' in one.read.aim ? `≤ ${one.read.aim.ratio}` : `≤ ${one.read.aim.ms} ms`,
    isHeld(one) ? 'yes' : '**no**',
  ]);
  return [
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
    line(['read', 'most rows read by one node', `plan of ${whole(large)}`]),
    line(['---', '---', '---']),
    ...measured.map(({ read, plan, rows: count }) => line([read.name, whole(count), plan])),
  ];
}
