import type { Stack } from '../stack.ts';

export type Shown = { id: string; direction: string; status: string; content: { body: string } };
export type Talk = { id: string; unread: number; messages: Shown[] };

type Page<Row> = { items: Row[]; meta: { next_cursor?: string } };

/** As a client reads it, page by page. */
async function all<Row>(stack: Stack, path: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) });
    const { status, body } = await stack.call<Page<Row>>('GET', `${path}?${query}`);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    rows.push(...body.items);
    cursor = body.meta.next_cursor;
  } while (cursor);
  return rows;
}

/** Each conversation with its messages, oldest first. */
export async function historyOf(stack: Stack): Promise<Talk[]> {
  const conversations = await all<{ id: string; unread_count: number }>(stack, '/v1/conversations');
  const talks: Talk[] = [];
  for (const { id, unread_count: unread } of conversations) {
    const messages = await all<Shown>(stack, `/v1/conversations/${id}/messages`);
    talks.push({ id, unread, messages: messages.reverse() });
  }
  return talks;
}
