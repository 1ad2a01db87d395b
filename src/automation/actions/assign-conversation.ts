import Joi from 'joi';
import { patchConversation } from '../../messaging/inbox/patch.ts';
import { conversationPatchFields } from '../../messaging/inbox/schemas.ts';
import { id } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { idOf } from './about.ts';
import { databaseAction } from './action.ts';
import { choiceLock, choose, type Strategy, strategies } from './assign/choose.ts';
import { memberFaults } from './faults.ts';

const maxUsers = 100;

type Fields = { conversation_id?: string; user_id?: string | null; strategy?: Strategy; user_ids?: string[] };

export const assignConversation = databaseAction<Fields>({
  type: 'assign_conversation',
  description:
    'Gives a conversation to a member: the one named, by turns, or whoever has the fewest open ones. Among equals the first of `user_ids`, or the longest member.',
  scopes: ['conversations:write'],
  fields: Joi.object<Fields>({
    conversation_id: id.description("Default: the run's conversation"),
    user_id: conversationPatchFields.assignee_id,
    strategy: Joi.string()
      .valid(...strategies)
      .description('`round_robin`: by turns of this rule. `fewest_open`: who has the fewest open conversations'),
    user_ids: Joi.array()
      .items(id)
      .min(1)
      .max(maxUsers)
      .unique()
      .description('Among these members; those who have left are passed over. Default: all with the role `agent`'),
  })
    .xor('user_id', 'strategy')
    .with('user_ids', 'strategy'),
  example: { strategy: 'round_robin' },
  async check(own, { user_id, user_ids = [] }) {
    const named = user_ids.map((one, index): [string, string] => [`user_ids[${index}]`, one]);
    return memberFaults(own, { user_id, ...Object.fromEntries(named) });
  },
  async prepare(context, { conversation_id, user_id, strategy, user_ids: userIds }) {
    const conversationId = idOf(context, 'conversation', conversation_id);
    const ruleId = context.run.rule_id;
    const choice = strategy && { strategy, userIds, ruleId, conversationId };
    return {
      locks: [conversationLane(conversationId), ...(choice ? [choiceLock(context.own.organizationId, choice)] : [])],
      async write(tx) {
        const assignee_id = choice ? await choose(tx.own, choice) : user_id!;
        await patchConversation(tx, conversationId, { assignee_id });
        return { conversation_id: conversationId, user_id: assignee_id };
      },
    };
  },
});
