import type pg from 'pg';
import type { Database, Source } from '../../src/platform/database/database.ts';

type Node = {
  'Node Type': string;
  'Scan Direction'?: string;
  'Index Name'?: string;
  'Relation Name'?: string;
  'Parent Relationship'?: string;
  Plans?: Node[];
};

const walked = ['contacts', 'contact_identities', 'contact_tags'];
export type Plan = { line: string; isWalk: boolean };

/** Nodes from the top, with their indexes; what a column asks for by itself, as the tags, is left out. */
function lineOf(node: Node): string {
  const on = node['Index Name'] ?? node['Relation Name'];
  const parts = (node.Plans ?? []).filter((plan) => plan['Parent Relationship'] !== 'SubPlan').map(lineOf);
  const from = parts.length > 1 ? ` ← (${parts.join('; ')})` : parts.length === 1 ? ` ← ${parts[0]}` : '';
  return `${node['Node Type']}${on ? ` ${on}` : ''}${from}`;
}

const isWalk = (node: Node): boolean =>
  (node['Node Type'] === 'Seq Scan' && walked.includes(node['Relation Name'] ?? '')) || (node.Plans ?? []).some(isWalk);

/** Runs a read where every statement shows its plan first: one that is prepared the plan made for all values, else the one for these. */
export async function plansOf(sql: pg.Pool, read: (source: Source) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  const explain = async (first: string | { text: string; values: unknown[] }, values: unknown[] = []) => {
    const isPrepared = typeof first === 'string';
    const { rows } = isPrepared
      ? await sql.query(`explain (generic_plan, format json) ${first}`)
      : await sql.query(`explain (format json) ${first.text}`, first.values);
    const node = rows[0]['QUERY PLAN'][0].Plan as Node;
    plans.push({ line: lineOf(node), isWalk: isWalk(node) });
    return isPrepared ? sql.query(first, values) : sql.query(first);
  };
  await read({ pool: { query: explain } } as unknown as Database);
  return plans;
}
