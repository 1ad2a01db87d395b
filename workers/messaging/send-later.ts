import { findChannel } from '../../src/channels/queries.ts';
import { findScheduled, refusalOfScheduled, releaseScheduled, type Scheduled } from '../../src/messaging/schedule.ts';
import { sendLaterJob } from '../../src/messaging/schedule-job.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import { now } from '../../src/platform/time/clock.ts';
import { momentMs } from '../../src/platform/time/moment.ts';
import { channelDeletedBefore } from '../channels/as-channel.ts';
import { handle } from '../handler.ts';

/** A run may begin a little before its time. */
const earlyMs = 1_000;

/** Makes way for the job that sends. Called off meanwhile: the row is gone, and nothing is written. */
export const sendLater = handle(sendLaterJob, async ({ message_id: id }, context) => {
  const message = await findScheduled(context.own, id);
  if (!message?.send_at) return context.finish();
  // Before its time as well: the deletion of a channel brings it forward.
  if (!(await findChannel(context.own, message.channel_id))) return context.fail(channelDeletedBefore);
  const leftMs = momentMs(message.send_at) - now();
  if (leftMs > earlyMs) return context.wait(leftMs, { reason: 'the clock of the process that scheduled it was ahead' });
  const refusal = await refusalOfScheduled(context.own, context.secrets, message);
  if (refusal) return context.fail(refusal);
  const look = () => findScheduled(context.own, id);
  const locks = (seen: Scheduled | undefined) => (seen ? [conversationLane(seen.conversation_id)] : []);
  return context.finishLooked({ look, locks }, async ({ own }, seen) => {
    if (seen) await releaseScheduled(own, seen);
  });
});
