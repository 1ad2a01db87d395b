import { type SqlBool, sql } from 'kysely';
import { Conversation } from '../../../messaging/conversation.entity.ts';
import { holdMember } from '../../../organizations/members.ts';
import { Membership } from '../../../organizations/organization.entity.ts';
import type { Own } from '../../../platform/database/own.ts';
import { statement } from '../../../platform/database/statement.ts';
import { AppError } from '../../../platform/errors.ts';
import type { OwnTx } from '../../../platform/ledger/tx.ts';
import { AutomationTurn } from './turn.entity.ts';

export const strategies = ['round_robin', 'fewest_open'] as const;
export type Strategy = (typeof strategies)[number];

/** `userIds`: among these, those who are members; without, all agents. */
export type Choice = { strategy: Strategy; userIds?: string[]; ruleId: string; conversationId: string };

/** Two runs that choose at the same moment choose one after the other. */
export const choiceLock = (organizationId: string, { strategy, ruleId }: Pick<Choice, 'strategy' | 'ruleId'>) =>
  strategy === 'round_robin' ? `automation_turns:${ruleId}` : `automation_fewest:${organizationId}`;

const agents = statement((select, _: object) =>
  select(Membership).select('user_id').where('role', '=', 'agent').orderBy('created_at').orderBy('user_id'),
);
const membersOf = statement((select, { ids }: { ids: string[] }) =>
  select(Membership).select('user_id').where('user_id', '=', sql<string>`any(${ids}::uuid[])`),
);
const turnsOf = statement((select, { ruleId }: { ruleId: string }) =>
  select(AutomationTurn).select(['user_id', 'taken_at']).where('rule_id', '=', ruleId),
);
/** No parameter: the index holds these rows alone. */
const isOpen = sql<SqlBool>`status = 'open'`;
/** By an index alone: it has no column beside those of `conversations_open`. */
export const openOf = statement((select, { ids }: { ids: string[] }) =>
  select(Conversation)
    .select(['assignee_id', sql<number>`count(*)::int`.as('total')])
    .where('assignee_id', '=', sql<string>`any(${ids}::uuid[])`)
    .where(isOpen)
    .groupBy('assignee_id'),
);

const holderOf = statement((select, { conversationId }: { conversationId: string }) =>
  select(Conversation).select('assignee_id').where('id', '=', conversationId).where('status', '=', 'open'),
);

/** In the order that decides between equals: as named, or by their time in the organization. */
async function candidates(own: Own, userIds?: string[]): Promise<string[]> {
  if (!userIds) return (await agents(own, {})).map(({ user_id }) => user_id);
  const found = new Set((await membersOf(own, { ids: userIds })).map(({ user_id }) => user_id));
  return userIds.filter((id) => found.has(id));
}

/** Those who wait longest, or have least to do, first. */
async function inOrder(own: Own, ids: string[], { strategy, ruleId, conversationId }: Choice): Promise<string[]> {
  if (strategy === 'round_robin') {
    const turns = new Map((await turnsOf(own, { ruleId })).map(({ user_id, taken_at }) => [user_id, taken_at]));
    const turnOf = (id: string) => turns.get(id) ?? '';
    return [...ids].sort((one, other) => (turnOf(one) < turnOf(other) ? -1 : Number(turnOf(one) > turnOf(other))));
  }
  const open = new Map((await openOf(own, { ids })).map(({ assignee_id, total }) => [assignee_id, total]));
  const [holder] = await holderOf(own, { conversationId });
  // Whoever has this one already is asked as if it were nobody's.
  const openOfUser = (id: string) => (open.get(id) ?? 0) - (holder?.assignee_id === id ? 1 : 0);
  return [...ids].sort((one, other) => openOfUser(one) - openOfUser(other));
}

/** SQL: an insert that becomes an update. */
const takeTurn = `
  insert into automation_turns (organization_id, rule_id, user_id)
  values ($1, $2, $3)
  on conflict (organization_id, rule_id, user_id) do update
     set taken_at = clock_timestamp()`;

/** The member, who stays one until the transaction ends. Needs `choiceLock`. Throws 409 when nobody is left. */
export async function choose(tx: OwnTx, choice: Choice): Promise<string> {
  tx.assertLocked(choiceLock(tx.organizationId, choice));
  const ids = await candidates(tx, choice.userIds);
  for (const id of await inOrder(tx, ids, choice)) {
    // One who leaves at this moment is passed over.
    if (!(await holdMember(tx, id))) continue;
    if (choice.strategy === 'round_robin') await tx.sql(takeTurn, [choice.ruleId, id]);
    return id;
  }
  const whom = choice.userIds ? 'None of the named users is a member' : 'The organization has no member with the role agent';
  throw new AppError('conflict', `There is nobody to assign the conversation to: ${whom}`);
}
