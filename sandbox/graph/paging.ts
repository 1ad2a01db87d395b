import { GraphError } from './errors.ts';

const usualLimit = 25;
const maxAtOnce = 1_000;

/** A page in the Graph envelope. Cursors are positions made opaque; `next` is there only while more follows. */
export function page<T extends object>(items: T[], url: URL): object {
  const limit = readLimit(url.searchParams.get('limit'));
  const after = readCursor(url.searchParams.get('after'));
  const before = readCursor(url.searchParams.get('before'));
  const end = before ?? items.length;
  const start = after !== null ? after + 1 : before !== null ? Math.max(0, before - limit) : 0;
  const data = items.slice(start, Math.min(start + limit, end));
  if (data.length === 0) return { data };
  const last = start + data.length - 1;
  return {
    data,
    paging: {
      cursors: { before: cursorOf(start), after: cursorOf(last) },
      ...(last + 1 < items.length ? { next: withCursor(url, 'after', last, limit) } : {}),
      ...(start > 0 ? { previous: withCursor(url, 'before', start, limit) } : {}),
    },
  };
}

function withCursor(url: URL, name: 'after' | 'before', position: number, limit: number): string {
  const link = new URL(url);
  link.searchParams.delete('after');
  link.searchParams.delete('before');
  link.searchParams.set('limit', String(limit));
  link.searchParams.set(name, cursorOf(position));
  return link.href;
}

function readLimit(value: string | null): number {
  if (value === null) return usualLimit;
  if (!/^\d+$/.test(value) || Number(value) < 1)
    throw new GraphError(100, { message: '(#100) Param limit must be a positive integer' });
  return Math.min(Number(value), maxAtOnce);
}

function cursorOf(position: number): string {
  return Buffer.from(`position:${position}`).toString('base64url');
}

function readCursor(value: string | null): number | null {
  if (value === null || value === '') return null;
  const position = /^position:(\d+)$/.exec(Buffer.from(value, 'base64url').toString())?.[1];
  if (position === undefined) throw new GraphError(100, { message: '(#100) The cursor is not valid' });
  return Number(position);
}
