import { Client } from 'undici';
import type { Side, Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';
import { type Dataset, type Owner, seedContacts } from './dataset.ts';
import { explainingPool, plansOf } from './plan.ts';
import { deepPage, pageSize, type Read, reads, type Sample, samplesOf } from './reads.ts';

const organizations = 1_000;
const requests = 200;
const warmUps = 20;

type Times = { p50: number; p99: number };
type Measured = { read: Read; large: Times; small: Times; plans: { large: string; small: string } };
export type Scale = { dataset: Dataset; seconds: number; measured: Measured[]; walks: string[] };

/** The same reads of a large and a small organization of one database, one request at a time, alternately. */
export async function contactsScale({ kanal }: Stage, contacts: number): Promise<Scale> {
  const startedAt = performance.now();
  const dataset = await seedContacts(kanal.sql, contacts, organizations);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`contacts: ${contacts} and ${organizations} organizations in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  const explaining = explainingPool(kanal.env.DATABASE_URL!);
  const [measured, walks]: [Measured[], string[]] = [[], []];
  try {
    const samples = {
      large: await prepared(client, kanal, dataset.large),
      small: await prepared(client, kanal, dataset.small),
    };
    for (const read of reads) {
      const took: Record<'large' | 'small', number[]> = { large: [], small: [] };
      for (let number = -warmUps; number < requests; number += 1)
        for (const size of number % 2 === 0 ? (['large', 'small'] as const) : (['small', 'large'] as const)) {
          const sample = samples[size][(number + warmUps) % samples[size].length]!;
          const ms = await ask(client, read, dataset[size], sample);
          if (number >= 0) took[size].push(ms);
        }
      const plans = { large: '', small: '' };
      for (const size of ['large', 'small'] as const) {
        const seen = await plansOf(explaining, (source) => read.run(source, dataset[size], samples[size][0]!));
        plans[size] = seen.map(({ line }) => line).join(', then ');
        if (seen.some(({ isWalk }) => isWalk)) walks.push(`${read.name} (${size})`);
      }
      const times = (values: number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
      measured.push({ read, large: times(took.large), small: times(took.small), plans });
      console.error(`contacts, ${read.name}: ${(times(took.large).p50 / times(took.small).p50).toFixed(2)}`);
    }
  } finally {
    await Promise.all([client.close(), explaining.end(), web.process.stop()]);
  }
  return { dataset, seconds, measured, walks };
}

/** The cursor of the deep page is found as a client finds it: page by page. */
async function prepared(client: Client, { sql }: Side, owner: Owner): Promise<Sample[]> {
  let cursor = '';
  const cursors: string[] = [];
  for (let page = 1; page < deepPage; page += 1) {
    const path = `/v1/contacts?${new URLSearchParams({ limit: String(pageSize), ...(cursor && { cursor }) })}`;
    const { body } = await client.request({ method: 'GET', path, headers: { 'x-api-key': owner.apiKey } });
    cursor = ((await body.json()) as { meta: { next_cursor: string } }).meta.next_cursor;
    cursors.push(cursor);
  }
  return samplesOf(sql, owner, cursors.slice(-1), requests);
}

async function ask(client: Client, read: Read, owner: Owner, sample: Sample): Promise<number> {
  const given = read.body?.(sample);
  const startedAt = performance.now();
  const { statusCode, body } = await client.request({
    method: given ? 'POST' : 'GET',
    path: read.path(sample),
    headers: { 'x-api-key': owner.apiKey, ...(given && { 'content-type': 'application/json' }) },
    ...(given && { body: JSON.stringify(given) }),
  });
  const { data } = (await body.json()) as { data?: unknown };
  const took = performance.now() - startedAt;
  if (statusCode !== 200 || (Array.isArray(data) && data.length === 0 && !read.name.startsWith('search, two')))
    throw new Error(`contacts, ${read.name}: ${statusCode} ${JSON.stringify(data)}`);
  return took;
}

export function contactsReport({ dataset: { large, small, others }, seconds, measured }: Scale): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const ms = ({ p50, p99 }: Times) => [p50.toFixed(2), p99.toFixed(2)];
  const aimOf = ({ aim }: Read) => ('ratio' in aim ? `≤ ${aim.ratio}` : `≤ ${aim.ms} ms`);
  const isHeld = ({ read: { aim }, large: { p50 }, small }: Measured) =>
    'ratio' in aim ? p50 / small.p50 <= aim.ratio : p50 <= aim.ms;
  const [many, few] = [large, small].map(({ contacts }) => contacts.toLocaleString('en-US'));
  const head = ['read', `${few}: p50 ms`, 'p99', `${many}: p50 ms`, 'p99', 'ratio of p50', 'aim', 'held'];
  const rows = measured.map((one) => [
    one.read.name,
    ...ms(one.small),
    ...ms(one.large),
    `**${(one.large.p50 / one.small.p50).toFixed(2)}**`,
    aimOf(one.read),
    isHeld(one) ? 'yes' : '**no**',
  ]);
  const plans = measured.map(({ read, plans: { large: ours, small: theirs } }) =>
    line([read.name, ours, theirs === ours ? 'the same' : theirs]),
  );
  return [
    `One organization of ${many} contacts, one of ${few} and ${others} of 100 in one database, made in ${seconds.toFixed(0)} s; ${requests} requests of each by turns, one at a time.`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
    `| plan | ${many} | ${few} |`,
    '| --- | --- | --- |',
    ...plans,
  ].join('\n');
}
