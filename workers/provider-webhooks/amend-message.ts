import { Message } from '../../src/messaging/message.entity.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { now } from '../../src/platform/time/clock.ts';
import { momentMs } from '../../src/platform/time/moment.ts';
import { amendOriginal } from '../../src/provider-webhooks/apply-amendment.ts';
import { amendMessageJob } from '../../src/provider-webhooks/jobs.ts';
import { amendmentIn } from '../../src/providers/messaging-app/amendment.ts';
import { handle } from '../handler.ts';

/** The provider repeats a body for up to 7 days. */
const keptForMs = 7 * 86_400_000;
const shortestWaitMs = 10_000;

const amendingMessage = statement((select, { id }: { id: string }) =>
  select(Message)
    .select(['type', 'content', 'direction', 'channel_id', 'provider_at', 'created_at'])
    .where('id', '=', id)
    .where('contact_id', 'is not', null),
);

/** Looks for the message that an edit or a deletion is about, less and less often. */
export const amendMessage = handle(amendMessageJob, async ({ message_id: id }, context) => {
  const [message] = await amendingMessage(context.own, { id });
  const amendment = message && amendmentIn({ type: message.type, [message.type]: message.content });
  if (!amendment) return context.finish();
  const { channel_id: channelId, direction, provider_at, created_at } = message;
  const amending = { channelId, direction, originalId: amendment.originalId };
  const at = new Date(momentMs(provider_at ?? created_at));
  const ageMs = now() - momentMs(created_at);
  const isOver = (await amendOriginal(context.own, context.transact, amending, amendment, at)) || ageMs > keptForMs;
  return isOver
    ? context.finish()
    : context.wait(Math.max(shortestWaitMs, ageMs), { reason: 'the message it is about has not come yet' });
});
