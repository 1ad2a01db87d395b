import { Client } from 'undici';
import type { Process } from '../processes.ts';
import type { Side, Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';

const warmUps = 10;
const requests = 100;
const pageSize = 10;
/** The far page begins after these pages of a hundred. */
const farPages = 50;

export type Times = { p50: number; p99: number };
export type Listed = { name: string; full: Times; empty: Times };

/** A list as a client asks for it. */
type List = { name: string; path: string; query(side: Side, sample: Sample): Record<string, string>; isFar?: true };
type Sample = { conversationId: string; contactId: string };

const messages = '/v1/messages';
const lists: List[] = [
  { name: 'messages', path: messages, query: () => ({}) },
  { name: 'messages, far page', path: messages, query: () => ({}), isFar: true },
  { name: 'messages, total', path: messages, query: () => ({ include_total: 'true' }) },
  { name: 'messages of a status', path: messages, query: () => ({ status: 'sent' }) },
  { name: 'messages of a status, far page', path: messages, query: () => ({ status: 'sent' }), isFar: true },
  { name: 'messages of a rare status', path: messages, query: () => ({ status: 'queued' }) },
  { name: 'messages of a channel', path: messages, query: ({ tenant }) => ({ channel_id: tenant.channelId }) },
  {
    name: 'messages of a channel, far page',
    path: messages,
    query: ({ tenant }) => ({ channel_id: tenant.channelId }),
    isFar: true,
  },
  { name: 'messages of a conversation', path: messages, query: (_side, sample) => ({ conversation_id: sample.conversationId }) },
  { name: 'messages of a contact', path: messages, query: (_side, sample) => ({ contact_id: sample.contactId }) },
  {
    name: 'messages of a channel and a rare status',
    path: messages,
    query: ({ tenant }) => ({ channel_id: tenant.channelId, status: 'queued' }),
  },
  { name: 'contacts', path: '/v1/contacts', query: () => ({}) },
  { name: 'contacts, far page', path: '/v1/contacts', query: () => ({}), isFar: true },
];

type Asked = { side: Side; web: Process; client: Client; samples: Sample[] };

/** Each list of the large organization and of the same organization in an empty database, one request at a time, in turns. */
export async function measureLists({ kanal, floor }: Stage): Promise<Listed[]> {
  const sides: Asked[] = [];
  for (const side of [kanal, floor]) {
    const { process: web, base } = await side.startWeb();
    sides.push({ side, web, client: new Client(base), samples: await samplesOf(side) });
  }
  try {
    const measured: Listed[] = [];
    for (const list of lists) measured.push(await measureList(list, sides));
    return measured;
  } finally {
    for (const { client, web } of sides) await Promise.all([client.close(), web.stop()]);
  }
}

async function measureList(list: List, sides: Asked[]): Promise<Listed> {
  const cursors = await Promise.all(sides.map((asked) => (list.isFar ? farCursor(asked, list) : undefined)));
  const took: number[][] = [[], []];
  for (let number = -warmUps; number < requests; number += 1)
    for (const index of number % 2 === 0 ? [0, 1] : [1, 0]) {
      const asked = sides[index]!;
      const sample = asked.samples[(number + warmUps) % asked.samples.length]!;
      const cursor = cursors[index];
      const startedAt = performance.now();
      await ask(asked, list, { ...list.query(asked.side, sample), limit: String(pageSize), ...(cursor && { cursor }) });
      if (number >= 0) took[index]!.push(performance.now() - startedAt);
    }
  const [full, empty] = took.map((values) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) })) as [Times, Times];
  return { name: list.name, full, empty };
}

async function samplesOf({ sql, tenant }: Side): Promise<Sample[]> {
  const { rows } = await sql.query<Sample>(
    `select id as "conversationId", contact_id as "contactId" from conversations where organization_id = $1 order by random() limit $2`,
    [tenant.organizationId, requests],
  );
  return rows;
}

/** As a client comes there: page by page. */
async function farCursor(asked: Asked, list: List): Promise<string> {
  let cursor = '';
  for (let page = 0; page < farPages; page += 1) {
    const query = { ...list.query(asked.side, asked.samples[0]!), limit: '100', ...(cursor && { cursor }) };
    const next = (await ask(asked, list, query)).meta.next_cursor;
    if (!next) break;
    cursor = next;
  }
  return cursor;
}

type Page = { data: unknown[]; meta: { next_cursor: string } };

async function ask({ side, client }: Asked, { name, path }: List, query: Record<string, string>): Promise<Page> {
  const { statusCode, body } = await client.request({
    method: 'GET',
    path: `${path}?${new URLSearchParams(query)}`,
    headers: { 'x-api-key': side.tenant.apiKey },
  });
  const page = (await body.json()) as Page;
  if (statusCode !== 200) throw new Error(`long, ${name}, ${side.name}: ${statusCode} ${JSON.stringify(page)}`);
  return page;
}
