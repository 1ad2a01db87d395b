import { Client } from 'undici';
import { listResponses, type ResponseFilter } from '../../src/flows/response-reads.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { explainingPool, plansOf, unbounded } from '../contacts/plan.ts';
import type { Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';
import { type Answered, type FlowAnswered, seedAnswers } from './dataset.ts';

const requests = 100;
const warmUps = 10;
const pageSize = 10;
const farPage = 1_000;
/** What the large one may take, as a share of the small one. */
const aim = 1.5;

type Query = Record<string, string>;
/** A page of the list by the query of the API. */
type Read = { name: string; isFar?: boolean; queryOf(flow: FlowAnswered, number: number): Query };

/** Within the time in which both flows were answered. */
const [since, until] = [9_000_000, 5_000_000].map((ago) => new Date(Date.now() - ago).toISOString()) as [string, string];
const reads: Read[] = [
  { name: 'responses', queryOf: () => ({}) },
  { name: `responses, page ${farPage}`, isFar: true, queryOf: () => ({}) },
  { name: 'responses of a contact', queryOf: ({ contactIds }, number) => ({ contact_id: contactIds[number]! }) },
  { name: 'responses of a time', queryOf: () => ({ since, until }) },
  { name: 'responses that are no JSON', queryOf: () => ({ malformed: 'true' }) },
  { name: 'the other responses', queryOf: () => ({ malformed: 'false' }) },
];

type Times = { p50: number; p99: number };
type Measured = { read: Read; large: Times; small: Times; plan: string };
export type ResponsesScale = Answered & { seconds: number; measured: Measured[]; walks: string[] };
const sides = ['large', 'small'] as const;

/** Pages of the answers to a flow with many and of one with few, one request at a time, in turns. */
export async function responsesScale({ kanal }: Stage, rows: number): Promise<ResponsesScale> {
  const startedAt = performance.now();
  const answered = await seedAnswers(kanal.sql, kanal.tenant, rows);
  const seconds = (performance.now() - startedAt) / 1000;
  console.error(`flow-responses: ${rows} in ${seconds.toFixed(0)} s`);
  const web = await kanal.startWeb();
  const client = new Client(web.base);
  const explaining = explainingPool(kanal.env.DATABASE_URL!);
  const { organizationId, apiKey } = kanal.tenant;
  const ask = (read: Read, flow: FlowAnswered, query: Query) => page(client, read.name, apiKey, flow, query);
  const [measured, walks]: [Measured[], string[]] = [[], []];
  try {
    for (const read of reads) {
      const cursors = { large: '', small: '' };
      if (read.isFar) for (const side of sides) cursors[side] = await farCursor((query) => ask(read, answered[side], query));
      const took: Record<(typeof sides)[number], number[]> = { large: [], small: [] };
      for (let number = -warmUps; number < requests; number += 1)
        for (const side of number % 2 === 0 ? sides : sides.toReversed()) {
          const askedAt = performance.now();
          const flow = answered[side];
          await ask(read, flow, { ...read.queryOf(flow, number + warmUps), ...sized(pageSize, cursors[side]) });
          if (number >= 0) took[side].push(performance.now() - askedAt);
        }
      const { flowId } = answered.large;
      const after = cursors.large ? placeIn(cursors.large) : undefined;
      const filter = filterOf(read.queryOf(answered.large, 0));
      const plans = await plansOf(explaining, (source) =>
        listResponses(ownRows(source, organizationId), unbounded(source).plain, flowId, filter, {
          limit: pageSize,
          after,
          includeTotal: false,
        }),
      );
      if (plans.some(({ isWalk }) => isWalk)) walks.push(read.name);
      const times = (values: number[]) => ({ p50: percentile(values, 0.5), p99: percentile(values, 0.99) });
      const plan = [...new Set(plans.map(({ line }) => line))].join(', then ');
      measured.push({ read, large: times(took.large), small: times(took.small), plan });
      console.error(`flow-responses, ${read.name}: ${(times(took.large).p50 / times(took.small).p50).toFixed(2)}`);
    }
  } finally {
    await Promise.all([client.close(), explaining.end(), web.process.stop()]);
  }
  return { ...answered, seconds, measured, walks };
}

const sized = (limit: number, cursor: string): Query => ({ limit: String(limit), ...(cursor && { cursor }) });

const filterOf = ({ contact_id: contactId, since, until, malformed }: Query): ResponseFilter => ({
  contactId,
  since,
  until,
  ...(malformed && { isMalformed: malformed === 'true' }),
});

type Page = { items: unknown[]; meta: { next_cursor?: string } };

async function page(client: Client, name: string, apiKey: string, { flowId }: FlowAnswered, query: Query): Promise<Page> {
  const path = `/v1/flows/${flowId}/responses?${new URLSearchParams(query)}`;
  const { statusCode, body } = await client.request({ method: 'GET', path, headers: { 'x-api-key': apiKey } });
  const shown = (await body.json()) as Page;
  if (statusCode !== 200 || shown.items.length === 0)
    throw new Error(`flow-responses, ${name}: ${statusCode} ${JSON.stringify(shown).slice(0, 500)}`);
  return shown;
}

/** As a client comes there, but by larger pages. */
async function farCursor(ask: (query: Query) => Promise<Page>): Promise<string> {
  let cursor = '';
  for (let left = (farPage - 1) * pageSize; left > 0; left -= 100) {
    const { meta } = await ask(sized(Math.min(100, left), cursor));
    if (!meta.next_cursor) throw new Error(`flow-responses: the list ends before page ${farPage}`);
    cursor = meta.next_cursor;
  }
  return cursor;
}

/** Of a cursor that the API gave for these very filters. */
const placeIn = (cursor: string) => JSON.parse(Buffer.from(cursor, 'base64url').toString()).slice(1) as [string, string];

export function responsesReport({ large, small, seconds, measured }: ResponsesScale): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const ms = ({ p50, p99 }: Times) => [p50.toFixed(2), p99.toFixed(2)];
  const sizes = [small, large].map(({ rows }) => rows.toLocaleString('en-US'));
  const times = sizes.flatMap((size) => [`${size}: p50 ms`, 'p99']);
  const head = [`page of ${pageSize}`, ...times, `ratio of p50 (≤ ${aim})`, 'plan of the large one'];
  const rows = measured.map(({ read, large: many, small: few, plan }) => {
    const ratio = many.p50 / few.p50;
    const shown = ratio <= aim ? ratio.toFixed(2) : `**${ratio.toFixed(2)}**`;
    return [read.name, ...ms(few), ...ms(many), shown, plan];
  });
  return [
    `Two flows of one organization with ${sizes.join(' and ')} answers, made in ${seconds.toFixed(0)} s; ${requests} requests of each in turns, one at a time.`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
  ].join('\n');
}
