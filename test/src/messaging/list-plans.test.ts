import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { escapeLiteral, type PoolClient } from 'pg';
import { listConversations, readConversationListing } from '../../../src/messaging/inbox/list.ts';
import { listMessages, type MessageFilter } from '../../../src/messaging/list.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import type { Reads } from '../../../src/platform/listing/reads.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { type House, openHouse } from '../../support/house.ts';

type Node = { 'Node Type': string; 'Index Name'?: string; 'Parent Relationship'?: string; Plans?: Node[] };
type Asked = { text: string; params: unknown[] };

const id = uuidv7();
const after: [string, string] = ['2026-11-21 10:00:00+00', id];
const lists: [string, MessageFilter, string][] = [
  ['no condition', {}, 'messages_list'],
  ['a conversation', { conversationId: id }, 'messages_conversation'],
  ['a contact', { contactId: id }, 'messages_contact'],
  ['a channel', { channelId: id }, 'messages_channel'],
  ['a status', { status: 'failed' }, 'messages_status'],
  ['a time to come', { isScheduled: true }, 'messages_scheduled'],
];

let house: House;
/** One connection: what it has prepared while the tables were empty stays prepared. */
let client: PoolClient;
beforeAll(async () => {
  house = await openHouse();
  client = await house.database.pool.connect();
  for (const [, filter] of lists)
    for (const { text, params } of (await pagesOfMessages(filter)).prepared) await client.query(text, params);
  for (const { text, params } of (await pagesOfConversations()).prepared) await client.query(text, params);
  await fill();
});
afterAll(async () => {
  client.release();
  await house.close();
});

/** As an autovacuum does, it counts the rows at the end. */
async function fill() {
  const { organizationId } = house;
  const talk = await conversation(house.em(), organizationId);
  await house.sql(
    `insert into contacts (id, organization_id, name) select uuidv7(), $1, 'N' || n from generate_series(1, 2000) n`,
    [organizationId],
  );
  await house.sql(
    `insert into conversations (id, organization_id, channel_id, contact_id, status, last_message_at)
     select uuidv7(), $1, $2, id, 'open', now() from contacts where id <> $3`,
    [organizationId, talk.channel.id, talk.contact.id],
  );
  await house.sql(
    `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, content)
     select uuidv7(), v.organization_id, v.channel_id, v.id, v.contact_id, 'outbound', 'text',
            case when n = 1 then 'failed' else 'sent' end, '', '{}'
       from conversations v, generate_series(1, 5) n`,
  );
  await house.sql('analyze messages, conversations, contacts');
}

async function asking(list: (reads: Reads) => Promise<unknown>): Promise<{ prepared: Asked[]; planned: Asked[] }> {
  const [prepared, planned]: [Asked[], Asked[]] = [[], []];
  const into = (asked: Asked[]) => async (text: string, params: unknown[]) => {
    asked.push({ text, params });
    return [];
  };
  await list({ prepared: into(prepared), plain: into(planned), bounds: { checks: 1, ms: 1 } } as unknown as Reads);
  return { prepared, planned };
}

const messages = (reads: Reads, filter: MessageFilter, limit: number, cursor?: typeof after) =>
  listMessages(ownRows(house.database, house.organizationId), reads, filter, { limit, after: cursor, includeTotal: false });

const pagesOfMessages = (filter: MessageFilter) =>
  asking(async (reads) => {
    for (const limit of [25, 100]) for (const cursor of [undefined, after]) await messages(reads, filter, limit, cursor);
  });

const pagesOfConversations = () =>
  asking(async (reads) => {
    const listing = readConversationListing({});
    for (const limit of [25, 100])
      for (const cursor of [undefined, after])
        await listConversations(reads, house.organizationId, listing, { limit, after: cursor });
  });

/** The page itself; what a column asks for by itself is left out. */
const nodesOf = (node: Node): Node[] => [
  node,
  ...(node.Plans ?? []).filter((plan) => plan['Parent Relationship'] !== 'SubPlan').flatMap(nodesOf),
];

/** Of what was prepared before there was a row. */
async function planOf({ text, params }: Asked): Promise<string[]> {
  const { rows } = await client.query('select name from pg_prepared_statements where statement = $1', [text]);
  const values = params.map((value) => escapeLiteral(String(value))).join(', ');
  const explained = await client.query(`explain (format json) execute ${rows[0].name}(${values})`);
  return nodesOf(explained.rows[0]['QUERY PLAN'][0].Plan).map((node) => node['Index Name'] ?? node['Node Type']);
}

test.each(lists)('messages by %s: prepared, and one index gives the page in its order', async (_what, filter, index) => {
  const { prepared, planned } = await pagesOfMessages(filter);
  expect([planned.length, new Set(prepared.map(({ text }) => text)).size]).toEqual([0, 4]);
  for (const asked of prepared) expect(await planOf(asked)).toEqual(['Limit', index]);
});

test('messages of a time, and pages of another size, are planned for their values', async () => {
  const { prepared, planned } = await asking(async (reads) => {
    await messages(reads, { since: after[0] }, 25);
    await messages(reads, { conversationId: id }, 24);
  });
  expect([prepared.length, planned.length]).toEqual([0, 2]);
});

test('conversations by their last activity: prepared, and one index gives the page in its order', async () => {
  const { prepared, planned } = await pagesOfConversations();
  expect([planned.length, new Set(prepared.map(({ text }) => text)).size]).toEqual([0, 4]);
  for (const asked of prepared) expect(await planOf(asked)).toEqual(['Limit', 'conversations_list']);
});

test('conversations of a page of another size are planned for their values', async () => {
  const { prepared, planned } = await asking((reads) =>
    listConversations(reads, house.organizationId, readConversationListing({}), { limit: 24 }),
  );
  expect([prepared.length, planned.length]).toEqual([0, 1]);
});
