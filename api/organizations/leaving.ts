import { dealLock } from '../../src/deals/deal-row.ts';
import { dealsToRelease, releaseDeals } from '../../src/deals/release-owner.ts';
import { revisionTaken } from '../../src/history/history.ts';
import { conversationsToRelease, releaseConversations } from '../../src/messaging/inbox/patch.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { releaseTasks, tasksToRelease } from '../../src/tasks/release-assignee.ts';
import { taskLock } from '../../src/tasks/task-row.ts';

type Released = { deals: string[]; tasks: string[]; conversations: string[] };

/** The look of the write that removes a member: what changes with it. */
export const leavingLook = (own: Own, userId: string) => ({
  look: async () => ({
    deals: await dealsToRelease(own, userId),
    tasks: await tasksToRelease(own, userId),
    conversations: await conversationsToRelease(own, userId),
  }),
  locks: ({ deals, tasks, conversations }: Released) => [
    ...deals.map(dealLock),
    ...tasks.map(taskLock),
    ...conversations.map(conversationLane),
  ],
  retryOn: [revisionTaken],
  // All that refers to the member, however much it is.
  isLong: true,
});

/** Once nobody can refer to the member any more. */
export async function release(tx: OwnTx, userId: string, actor: string): Promise<void> {
  await releaseDeals(tx, userId, actor);
  await releaseTasks(tx, userId, actor);
  await releaseConversations(tx, userId);
}
