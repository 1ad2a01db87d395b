import { stopChannel } from '../../src/channels/change.ts';
import { markReadJob, showTypingJob } from '../../src/messaging/jobs.ts';
import { receivedMessage } from '../../src/messaging/mark-read.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';

/** The call is idempotent, so a lost answer means another call. */
async function tellRead(context: RunContext<unknown>, id: string, isTyping: boolean): Promise<Outcome> {
  const [message] = await receivedMessage(context.own, { id });
  // Without the provider's id its contact was erased meanwhile.
  if (!message?.provider_message_id) return context.finish();
  const account = {
    phoneNumberId: message.phone_number_id,
    accountId: message.account_id,
    accessToken: context.secrets.open(message.access_token),
  };
  const read = { providerMessageId: message.provider_message_id, isTyping };
  try {
    await context.outside(() => context.providers.messagingApp.markRead(account, read));
  } catch (error) {
    if (error instanceof ProviderRefused && error.stopsChannel) {
      const channel = { id: message.channel_id, sealedToken: message.access_token };
      await stopChannel(context.transact, channel, error.stopsChannel);
    }
    throw error;
  }
  return context.finish();
}

export const markRead = handle(markReadJob, ({ message_id }, context) => tellRead(context, message_id, false));
export const showTyping = handle(showTypingJob, ({ message_id }, context) => tellRead(context, message_id, true));
