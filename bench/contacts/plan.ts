import pg from 'pg';
import type { Database, Source } from '../../src/platform/database/database.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';

export type Node = {
  'Node Type': string;
  'Scan Direction'?: string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Node[];
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
};

/** For `plansOf`, a connection as the product's own are: a time stays text, and no table is read whole where an index serves. */
export const explainingPool = (connectionString: string): pg.Pool =>
  new pg.Pool({
    connectionString,
    max: 1,
    options: '-c enable_seqscan=off',
    types: {
      getTypeParser: (type, format) =>
        type === pg.types.builtins.TIMESTAMPTZ ? (text: unknown) => text : pg.types.getTypeParser(type, format as 'text'),
    },
  });

const walked = [
  ...['contacts', 'contact_identities', 'contact_tags', 'messages', 'conversations', 'conversation_tags'],
  ...['deals', 'deal_contacts', 'deal_conversations', 'crm_tasks', 'task_targets', 'records', 'record_values', 'record_links'],
  ...['flows', 'flow_versions', 'flow_sends', 'flow_responses'],
  ...['orders', 'order_items', 'payment_sessions', 'shipments', 'bookings', 'booking_calendars'],
  ...['campaigns', 'campaign_channels', 'campaign_recipients'],
  ...['automation_rules', 'automation_runs', 'automation_steps', 'automation_waits'],
  ...['services', 'service_staff', 'staff', 'staff_busy'],
];
/** `rows`: read by one node, those that its filter left out among them; 0 where the statement is not run. */
export type Plan = { line: string; isWalk: boolean; rows: number };

/** Nodes from the top, with their indexes; what a column asks for by itself, as the tags, is left out. */
function lineOf(node: Node): string {
  const on = node['Index Name'] ?? node['Relation Name'];
  const parts = (node.Plans ?? []).filter((plan) => plan['Parent Relationship'] !== 'SubPlan').map(lineOf);
  const from = parts.length > 1 ? ` ← (${parts.join('; ')})` : parts.length === 1 ? ` ← ${parts[0]}` : '';
  return `${node['Node Type']}${on ? ` ${on}` : ''}${from}`;
}

const isWalk = (node: Node): boolean =>
  (node['Node Type'] === 'Seq Scan' && walked.includes(node['Relation Name'] ?? '')) || (node.Plans ?? []).some(isWalk);

const rowsOf = (node: Node): number => {
  const once = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return Math.max(once * (node['Actual Loops'] ?? 0), ...(node.Plans ?? []).map(rowsOf));
};

/** Runs a read where every statement shows its plan first: one that is prepared the plan made for all values, else the one for these. */
export async function plansOf(sql: pg.Pool, read: (source: Source) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  const explain = async (first: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
    const isPrepared = typeof first === 'string';
    const { rows } = isPrepared
      ? await sql.query(`explain (generic_plan, format json) ${first}`)
      : await sql.query(`explain (analyze, format json) ${first.text}`, first.values);
    const node = rows[0]['QUERY PLAN'][0].Plan as Node;
    plans.push({ line: lineOf(node), isWalk: isWalk(node), rows: rowsOf(node) });
    return isPrepared ? sql.query(first, values) : sql.query(first);
  };
  await read({ pool: { query: explain } } as unknown as Database);
  return plans;
}

/** The statements of a list as they are, without the places and the time limit. */
export const unbounded = (source: Source): Reads => {
  // As the product: planned for its values.
  const { pool } = source as Database;
  const plain: Ask = async (text, values) => (await pool.query({ text, values })).rows;
  return {
    plain,
    prepared: async (text, values) => (await pool.query(text, values)).rows,
    dear: (_organizationId, work) => work(plain),
    resting: (_organizationId, work) => work(),
    counted: (_organizationId, work) => work(),
    inPlace: (_key, work) => work(),
    lookInTurn: (_organizationId, step) => step(),
    inTurns: (_organizationId, steps) => steps,
    bounds: { checks: 100_000, ms: 2_000 },
  };
};
