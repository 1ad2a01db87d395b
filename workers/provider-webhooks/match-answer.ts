import { type AnswerRule, findOpeningOf, settleResponse, waitingResponse } from '../../src/flows/responses.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import { matchAnswerJob } from '../../src/provider-webhooks/jobs.ts';
import { handle } from '../handler.ts';

/** A status that proves the send has come by then, or never comes. */
const longestMs = 30 * 60_000;
const shortestWaitMs = 2_000;

/** Looks for the message that an answer to a flow is about, less and less often; then the answer is told, with its flow or without. */
export const matchAnswer = handle(matchAnswerJob, async ({ message_id: id }, context) => {
  const look = async () => {
    const waiting = await waitingResponse(context.own, id);
    return waiting && { waiting, ...(await findOpeningOf(context.own, waiting)) };
  };
  let first = await look();
  if (!first) return context.finish();
  const { isOpen, waiting } = first;
  if (isOpen && waiting.ageMs < longestMs)
    return context.wait(Math.max(shortestWaitMs, waiting.ageMs), { reason: 'the message it answers is not known yet' });
  let rule: AnswerRule | undefined;
  const outcome = await context.finishLooked(
    {
      async look() {
        const seen = first ?? (await look());
        first = undefined;
        return seen;
      },
      locks: (seen) => (seen ? [conversationLane(seen.waiting.conversationId)] : []),
    },
    async ({ own }, seen) => {
      // Erased, or its conversation merged, since: then the event's lock is another.
      const waiting = seen && (await waitingResponse(own, id));
      if (waiting) await settleResponse(own, waiting, seen.opening);
      rule = waiting && seen.rule;
    },
  );
  if (rule) context.flowMetrics.answered(rule);
  return outcome;
});
