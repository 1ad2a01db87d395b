import type { Own } from '../platform/database/own.ts';
import { bindTo } from '../platform/listing/bind.ts';
import { type Ask, type Page, type PageRows, pageAskedFor, preparedLimits } from '../platform/listing/paging.ts';
import type { ReadBounds, Reads } from '../platform/listing/reads.ts';
import { readInWindows } from '../platform/listing/windows.ts';
import type { Direction, MessageStatus } from './message.entity.ts';
import { type MessageRow, messageColumns, withAnswered } from './queries.ts';

export type MessageFilter = {
  channelId?: string;
  conversationId?: string;
  contactId?: string;
  status?: MessageStatus;
  direction?: Direction;
  type?: string;
  /** The first moment, and the first one after the last. */
  since?: string;
  until?: string;
  search?: string;
  isScheduled?: boolean;
};

/** What a person reads of a message, or tapped: as the preview has it (conversations.ts). */
const words = `fold(coalesce(m.content->'body'->>'text', m.content->>'body', m.content->>'caption', m.content->>'text',
  m.content->'button_reply'->>'title', m.content->'list_reply'->>'title', m.content->>'name', ''))`;

type Conditions = { where: string[]; rest: string[]; params: unknown[] };

/** `where` is what an index gives in the list's order, `rest` what each of these messages is compared with. */
function conditionsOf(organizationId: string, filter: MessageFilter): Conditions {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { channelId, conversationId, contactId, status, direction, type, since, until, search = '', isScheduled } = filter;
  const where = ['m.organization_id = $1'];
  const equals = (column: string, value: unknown) => (value ? [`m.${column} = ${bind(value)}`] : []);
  // Each has an index in the list's order: the first is taken, the one that is likely to leave the fewest.
  const [first, ...more] = [
    ...equals('conversation_id', conversationId),
    ...equals('contact_id', contactId),
    ...(isScheduled ? ['m.is_scheduled'] : []),
    ...equals('status', status),
    ...equals('channel_id', channelId),
  ];
  if (first) where.push(first);
  if (since) where.push(`m.created_at >= ${bind(since)}`);
  if (until) where.push(`m.created_at < ${bind(until)}`);
  const rest = [...more, ...equals('direction', direction), ...equals('type', type)];
  for (const word of new Set(search.split(/\s+/).filter(Boolean))) rest.push(`strpos(${words}, fold(${bind(word)})) > 0`);
  return { where, rest, params };
}

/**
 * Newest first, one row more than the limit. With conditions that no index answers only so many messages are compared for a page: `end` is
 * where the next one begins; such a list, and a count, takes a place of the organization's share. SQL: the client's filters decide the statement.
 */
export async function listMessages(
  { organizationId }: Own,
  reads: Reads,
  filter: MessageFilter,
  page: Page,
): Promise<PageRows<MessageRow>> {
  const found = await pageOfMessages(organizationId, reads, filter, page);
  await withAnswered((text, params = []) => reads.prepared(text, [organizationId, ...params]), found.rows);
  return found;
}

async function pageOfMessages(
  organizationId: string,
  reads: Reads,
  filter: MessageFilter,
  page: Page,
): Promise<PageRows<MessageRow>> {
  const { where, rest, params } = conditionsOf(organizationId, filter);
  const isPlain = rest.length === 0 && !page.includeTotal;
  // A time of the client's has a frequency that the plan should know.
  if (isPlain && !filter.since && !filter.until && preparedLimits.includes(page.limit))
    return firstIndexPage(reads.prepared, where, params, page);
  if (isPlain) return pageAskedFor<MessageRow>(reads.plain, selectOf(where.join(' and ')), params, page);
  return reads.dear(organizationId, (ask) => searchedPage(ask, reads.bounds, { where, rest, params }, page));
}

/** Composed once: by the condition that has the index, the limit, and whether it is a later page. */
const preparedTexts = new Map<string, string>();

/** Whatever the values, the index of the condition gives the page in its order: one plan is right for all of them. */
async function firstIndexPage(
  ask: Ask,
  where: string[],
  params: unknown[],
  { limit, after }: Page,
): Promise<PageRows<MessageRow>> {
  const values = [...params];
  const bind = bindTo(values);
  const beyond = after ? ` and (m.created_at, m.id) < (${bind(after[0])}::timestamptz, ${bind(after[1])}::uuid)` : '';
  const form = `${limit} ${after ? 'later' : 'first'} ${where[1] ?? ''}`;
  const text =
    preparedTexts.get(form) ??
    `${selectOf(where.join(' and '))}${beyond}
     order by m.created_at desc, m.id desc
     limit ${limit + 1}`;
  preparedTexts.set(form, text);
  return { rows: await ask<MessageRow>(text, values) };
}

async function searchedPage(
  ask: Ask,
  bounds: ReadBounds,
  { where, rest, params }: Conditions,
  page: Page,
): Promise<PageRows<MessageRow>> {
  const all = [...where, ...rest].join(' and ');
  if (rest.length === 0) return pageAskedFor<MessageRow>(ask, selectOf(all), params, page);
  const total = page.includeTotal ? await countOf(ask, all, params) : undefined;
  const found = await readInWindows<MessageRow, [string, string]>(
    { limit: page.limit, most: Math.floor(bounds.checks / rest.length), ms: bounds.ms },
    page.after,
    ({ after, length, wanted }) => {
      const values = [...params];
      const bind = bindTo(values);
      const beyond = after ? ` and (m.created_at, m.id) < (${bind(after[0])}::timestamptz, ${bind(after[1])}::uuid)` : '';
      const last = bind(length);
      const matches = `(${rest.join(' and ')})`;
      const text = `
        select ${messageColumns}, ${matches} as is_match, m.place = ${last} as is_end
          from (select m.*, row_number() over (order by m.created_at desc, m.id desc) as place
                  from messages m
                 where ${where.join(' and ')}${beyond}
                 order by m.created_at desc, m.id desc
                 limit ${last}) m
         where ${matches} or m.place = ${last}
         order by m.created_at desc, m.id desc
         limit ${bind(wanted)}`;
      return ask(text, values);
    },
    ({ created_at, id }) => [created_at, id],
  );
  return { ...found, total };
}

const selectOf = (conditions: string) => `
  select ${messageColumns}
    from messages m
   where ${conditions}`;

async function countOf(ask: Ask, conditions: string, params: unknown[]) {
  const [counted] = await ask<{ total: number }>(
    `select count(*)::int as total
       from messages m
      where ${conditions}`,
    params,
  );
  return counted?.total ?? 0;
}
