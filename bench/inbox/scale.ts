import { Client } from 'undici';
import { explainingPool, plansOf } from '../contacts/plan.ts';
import type { Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';
import { conversationsOf, type Inbox, type Sizes, seedInboxes } from './dataset.ts';
import { type Asked, farPage, pageSize, type Read, reads } from './reads.ts';

const requests = 100;
const warmUps = 10;

type Times = { p50: number; p99: number };
type Measured = { read: Read; large: Times; small: Times; plan: string };
export type InboxScale = { large: Inbox; small: Inbox; seconds: number; measured: Measured[]; walks: string[] };
const sides = ['large', 'small'] as const;

/** Pages of messages and conversations of a large and a small organization in one database, one request at a time, in turns. */
export async function inboxScale({ kanal }: Stage, sizes: Sizes): Promise<InboxScale> {
  const startedAt = performance.now();
  const inboxes = await seedInboxes(kanal.sql, sizes);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`inbox: ${sizes.messages} messages in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  const explaining = explainingPool(kanal.env.DATABASE_URL!);
  const [measured, walks]: [Measured[], string[]] = [[], []];
  try {
    const ids = {
      large: await conversationsOf(kanal.sql, inboxes.large, requests),
      small: await conversationsOf(kanal.sql, inboxes.small, requests),
    };
    for (const read of reads) {
      const asked = {} as Record<(typeof sides)[number], Asked>;
      for (const side of sides) {
        asked[side] = { inbox: inboxes[side], conversationId: ids[side][0]!, cursor: '' };
        if (read.isFar) asked[side].cursor = await farCursor(client, read, asked[side]);
      }
      const took: Record<(typeof sides)[number], number[]> = { large: [], small: [] };
      for (let number = -warmUps; number < requests; number += 1)
        for (const side of number % 2 === 0 ? sides : sides.toReversed()) {
          const conversationId = ids[side][(number + warmUps) % ids[side].length]!;
          const startedAt = performance.now();
          await ask(client, read, { ...asked[side], conversationId });
          if (number >= 0) took[side].push(performance.now() - startedAt);
        }
      const seen = await plansOf(explaining, (source) => read.run(source, asked.large));
      if (seen.some(({ isWalk }) => isWalk)) walks.push(read.name);
      const times = (values: number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
      const plan = [...new Set(seen.map(({ line }) => line))].join(', then ');
      measured.push({ read, large: times(took.large), small: times(took.small), plan });
      console.error(`inbox, ${read.name}: ${(times(took.large).p50 / times(took.small).p50).toFixed(2)}`);
    }
  } finally {
    await Promise.all([client.close(), explaining.end(), web.process.stop()]);
  }
  return { ...inboxes, seconds, measured, walks };
}

type Page = { items: unknown[]; meta: { next_cursor?: string } };

async function ask(client: Client, read: Read, asked: Asked, limit?: number): Promise<Page> {
  const { statusCode, body } = await client.request({
    method: 'GET',
    path: read.path(asked, limit),
    headers: { 'x-api-key': asked.inbox.apiKey },
  });
  const page = (await body.json()) as Page;
  if (statusCode !== 200 || page.items.length === 0)
    throw new Error(`inbox, ${read.name}: ${statusCode} ${JSON.stringify(page).slice(0, 500)}`);
  return page;
}

/** As a client comes there, but by larger pages: the cursor before page 1,000 is that after page 99.9 of a hundred. */
async function farCursor(client: Client, read: Read, asked: Asked): Promise<string> {
  let cursor = '';
  for (let left = (farPage - 1) * pageSize; left > 0; left -= 100) {
    const page = await ask(client, read, { ...asked, cursor }, Math.min(100, left));
    if (!page.meta.next_cursor) throw new Error(`inbox, ${read.name}: the list ends before page ${farPage}`);
    cursor = page.meta.next_cursor;
  }
  return cursor;
}

/** What the large one may take, as a share of the small one. */
const aim = 1.3;

export function inboxReport({ large, small, seconds, measured }: InboxScale): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const ms = ({ p50, p99 }: Times) => [p50.toFixed(2), p99.toFixed(2)];
  const sizeOf = ({ messages, conversations }: Inbox) =>
    `${messages.toLocaleString('en-US')} messages of ${conversations.toLocaleString('en-US')} conversations`;
  const head = [
    `page of ${pageSize}`,
    'small: p50 ms',
    'p99',
    'large: p50 ms',
    'p99',
    `ratio of p50 (≤ ${aim})`,
    'plan of the large one',
  ];
  const rows = measured.map(({ read, large: many, small: few, plan }) => {
    const ratio = many.p50 / few.p50;
    const shown = ratio <= aim ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`;
    return [read.name, ...ms(few), ...ms(many), shown, plan];
  });
  return [
    `Small: ${sizeOf(small)}; large: ${sizeOf(large)}, in one database, made in ${seconds.toFixed(0)} s; ${requests} requests of each in turns, one at a time.`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
  ].join('\n');
}
