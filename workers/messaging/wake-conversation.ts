import { wakeConversationJob } from '../../src/messaging/inbox/jobs.ts';
import { sleepsForMs, wake } from '../../src/messaging/inbox/wake.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import { handle } from '../handler.ts';

/** A run may begin a little before its time. */
const earlyMs = 1_000;

export const wakeConversation = handle(wakeConversationJob, async ({ conversation_id }, context) => {
  const leftMs = (await sleepsForMs(context.own, conversation_id)) ?? 0;
  if (leftMs > earlyMs) return context.wait(leftMs, { reason: 'the clock of the process that snoozed it was ahead' });
  const looked = { look: async () => undefined, locks: () => [conversationLane(conversation_id)] };
  // Whoever woke or snoozed it meanwhile has ended this job: the write is then undone.
  return context.finishLooked(looked, ({ own }) => wake(own, conversation_id));
});
