import { expect } from '@jest/globals';
import type { App, Body } from './app.ts';

type Filter = { actor?: string; action?: string; subject?: string };

/** The entries of the audit log as its endpoint lists them, oldest first. The endpoint has no filter by subject. */
export async function listedActs(
  app: App,
  { subject, ...filter }: Filter,
  { key = app.tenant.key, columns }: { key?: string; columns?: string[] } = {},
): Promise<Body[]> {
  const acts: Body[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: 100, ...(cursor && { cursor }) };
    const { status, body } = await app.call('audit-log.list', { key, query });
    expect(status).toBe(200);
    acts.push(...body.items);
    cursor = body.meta.next_cursor;
  } while (cursor);
  const found = acts.filter((act) => subject === undefined || act.subject === subject).reverse();
  return columns ? found.map((act) => Object.fromEntries(columns.map((name) => [name, act[name]]))) : found;
}
