import { assertContact } from '../../contacts/queries.ts';
import { findBrief } from '../../messaging/inbox/conversation-row.ts';
import type { Own } from '../../platform/database/own.ts';
import { type DealRow, dealColumns } from '../deal-row.ts';

export type LinkedPage = { limit: number; afterId?: string; includeTotal: boolean };

const of = {
  conversation: `deal_conversations l
    join deals k on k.organization_id = l.organization_id and k.id = l.deal_id and k.deleted_at is null
   where l.organization_id = $1
     and l.conversation_id = $2`,
  contact: `deal_contacts l
    join deals k on k.organization_id = l.organization_id and k.id = l.deal_id and k.deleted_at is null
   where l.organization_id = $1
     and l.contact_id = $2`,
};

/** SQL: ids are in the order of creation, and the links in the order of the ids. */
const pageOf = (joined: string, beyond = '') => `
  select ${dealColumns}
    from ${joined}${beyond}
   order by l.deal_id desc
   limit $3`;
const nextOf = (joined: string) => pageOf(joined, ' and l.deal_id < $4');
const totalOf = (joined: string) => `
  select count(*)::int as total
    from ${joined}`;
const first = { conversation: pageOf(of.conversation), contact: pageOf(of.contact) };
const next = { conversation: nextOf(of.conversation), contact: nextOf(of.contact) };
const totals = { conversation: totalOf(of.conversation), contact: totalOf(of.contact) };

async function linkedTo(own: Own, kind: keyof typeof of, id: string, { limit, afterId, includeTotal }: LinkedPage) {
  const statement = afterId === undefined ? first[kind] : next[kind];
  const rows = await own.sql<DealRow>(statement, [id, limit + 1, ...(afterId === undefined ? [] : [afterId])]);
  if (!includeTotal) return { rows };
  const [counted] = await own.sql<{ total: number }>(totals[kind], [id]);
  return { rows, total: counted!.total };
}

/** Newest first, one row more than the limit. Throws 404. */
export async function dealsOfConversation(own: Own, id: string, page: LinkedPage) {
  await findBrief(own, id);
  return linkedTo(own, 'conversation', id, page);
}

/** The same, of a contact. */
export async function dealsOfContact(own: Own, id: string, page: LinkedPage) {
  await assertContact(own, id);
  return linkedTo(own, 'contact', id, page);
}
