import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import { conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { inboundFrom, newId, statusOf } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';

type Node = { 'Node Type': string; 'Index Name'?: string; 'Relation Name'?: string; 'Index Cond'?: string; Plans?: Node[] };

let house: ProviderHouse;
/** What the paths of a status and of a plain message have prepared. */
let statements: string[] = [];
beforeAll(async () => {
  house = await openProviderHouse();
  const talk = await conversation(house.em(), house.organizationId);
  const providerMessageId = newId();
  const id = await message(house.em(), house.organizationId, talk, { status: 'sending' });
  const { jobId: early } = await house.received(talk, [statusOf(providerMessageId, 'delivered')]);
  await house.apply(early);
  await house.answered(talk, id, providerMessageId);
  const [kept] = await house.kept(providerMessageId);
  await house.match((await house.jobOf(kept!.id))!);
  const { jobId } = await house.received(talk, [statusOf(providerMessageId, 'read')]);
  await house.apply(jobId);
  const written = await house.received(talk, [], inboundFrom(talk.contact.phone.slice(1)));
  await house.apply(written.jobId);
  const context = { from: '1', id: providerMessageId };
  const button = { type: 'button', text: undefined, button: { text: 'Yes', payload: 'yes' }, context };
  const clicked = await house.received(talk, [], inboundFrom(talk.contact.phone.slice(1), button));
  await house.apply(clicked.jobId);
  const form = { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{}' } };
  const filled = { type: 'interactive', text: undefined, interactive: form, context: { from: '1', id: newId() } };
  const given = await house.received(talk, [], inboundFrom(talk.contact.phone.slice(1), filled));
  await house.apply(given.jobId);

  const { pool } = house.database;
  const clients: PoolClient[] = [];
  for (let count = pool.totalCount; count > 0; count -= 1) clients.push(await pool.connect());
  const prepared = await Promise.all(clients.map((client) => client.query('select statement from pg_prepared_statements')));
  for (const client of clients) client.release();
  statements = [...new Set(prepared.flatMap(({ rows }) => rows.map(({ statement }) => String(statement))))];
  // Deleted rows would still be in the indexes, and the plans others.
  await house.sql('truncate jobs, messages, conversations, contacts, unmatched_statuses, events, provider_webhooks cascade');
});
afterAll(() => house.close());

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** The nodes of the generic plan of each statement that holds `part`. */
async function plansOf(part: string): Promise<Node[][]> {
  const found = statements.filter((text) => text.includes(part));
  expect(found.length).toBeGreaterThan(0);
  return Promise.all(
    found.map(async (text) => {
      const [row] = await house.sql<{ 'QUERY PLAN': { Plan: Node }[] }>(`explain (generic_plan, format json) ${text}`);
      return nodesOf(row!['QUERY PLAN'][0]!.Plan);
    }),
  );
}
/** A bitmap's index names no table. */
const indexesOf = (plan: Node[], table: string) =>
  plan.flatMap(({ 'Index Name': index }) => (index?.startsWith(`${table}_`) ? [index] : []));
const scanned = (plan: Node[]) => plan.filter((node) => node['Node Type'] === 'Seq Scan');

// Planned while the tables are empty and kept for the life of a connection: they must be right when the tables are full.
test.each([
  ['the look at the messages of statuses', 'k.ours', 'messages', ['messages_provider_message_id', 'messages_pkey']],
  ['the change of messages', 'changed as (', 'messages', ['messages_pkey']],
  ['the look for a message before a status is kept', 'answered as (', 'messages', ['messages_provider_message_id']],
  ['the answer to a send', 'as has_kept', 'messages', ['messages_pkey']],
  ['its look for kept statuses', 'as has_kept', 'unmatched_statuses', ['unmatched_statuses_message']],
  ['the look at the sender of a message', `k.name <> ''`, 'contact_identities', ['contact_identities_value']],
  ['its look at their conversation, of one a channel', `k.name <> ''`, 'conversations', ['conversations_contact']],
  ['its look at the contact', `k.name <> ''`, 'contacts', ['contacts_pkey']],
  ['its look for the message itself', `k.name <> ''`, 'messages', ['messages_provider_message_id']],
  ['the look at the message that is answered', 'a.campaign_id is null', 'messages', ['messages_provider_message_id']],
  ['its look at the flow', 'a.campaign_id is null', 'flow_sends', ['flow_sends_pkey']],
  ['its look at the words of the flow', 'a.campaign_id is null', 'flow_versions', ['flow_versions_number']],
  [
    'the longer look at the message that is answered',
    'order by m.rule',
    'messages',
    ['messages_provider_message_id', 'messages_pkey'],
  ],
  ['its look at the channels of the number', 'order by m.rule', 'channels', ['channels_id', 'channels_number']],
  ['its look at the flow', 'order by m.rule', 'flow_sends', ['flow_sends_pkey']],
  ['its look at the words of the flow', 'order by m.rule', 'flow_versions', ['flow_versions_number']],
  ['the write of a message', 'new_message as (', 'conversations', ['conversations_pkey']],
  ['its look for the message it answers', 'new_message as (', 'messages', ['messages_provider_message_id']],
  ['the dispatch of their jobs', 'woken as (', 'unmatched_statuses', ['unmatched_statuses_message']],
])('%s: each row by its own index', async (_what, part, table, wanted) => {
  for (const plan of await plansOf(part)) {
    expect(new Set(indexesOf(plan, table))).toEqual(new Set(wanted));
    expect(scanned(plan)).toEqual([]);
  }
});
