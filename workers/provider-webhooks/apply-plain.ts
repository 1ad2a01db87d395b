import { isOurOutage } from '../../src/platform/database/errors.ts';
import type { Part } from '../../src/platform/ledger/part.ts';
import { lookAtSender, NotKnown, storeOfSender } from '../../src/provider-webhooks/apply-known.ts';
import type { Received } from '../../src/provider-webhooks/message-rows.ts';
import type { InboundMessage } from '../../src/providers/messaging-app/inbound.ts';
import type { Outcome, RunContext } from '../handler.ts';

export type Plain = { message: InboundMessage; onlyChannelId: string | null; received: Received };

/** In our own outage the whole body is retried; after any other error the longer way says what is wrong. */
function noteFailure({ log, row }: RunContext<unknown>, error: unknown): void {
  if (isOurOutage(error)) throw error;
  if (!(error instanceof NotKnown)) log.warn({ err: error, webhook_id: row.subject_id }, 'a message is applied the longer way');
}

/** By the message that it answers: what another rule matches is applied the longer way. */
function countAnswer({ flowMetrics }: RunContext<unknown>, { flowAnswer }: InboundMessage): void {
  if (flowAnswer) flowMetrics.answered('message');
}

/** False: it is to be applied the longer way. */
export async function applyPlain(context: RunContext<unknown>, { message, onlyChannelId, received }: Plain): Promise<boolean> {
  try {
    await context.transact(lookAtSender(context.own, message, onlyChannelId), async (tx, sender) =>
      storeOfSender(tx.own, message, sender, received),
    );
    countAnswer(context, message);
    return true;
  } catch (error) {
    noteFailure(context, error);
    return false;
  }
}

/** `ending` is asked last: it tells the faults. `otherwise` applies the message the longer way. */
type Rest = { ending(): Part; otherwise(): Promise<void> };

/** The end of the body's job, with its last message in the same write. */
export async function finishWithPlain(
  context: RunContext<unknown>,
  { message, onlyChannelId, received }: Plain,
  { ending, otherwise }: Rest,
): Promise<Outcome> {
  try {
    const outcome = await context.finishLooked(lookAtSender(context.own, message, onlyChannelId), async (tx, sender) => {
      storeOfSender(tx.own, message, sender, received);
      tx.include(ending());
    });
    if (outcome.kind === 'done') countAnswer(context, message);
    return outcome;
  } catch (error) {
    noteFailure(context, error);
    await otherwise();
    return context.finish(ending());
  }
}
