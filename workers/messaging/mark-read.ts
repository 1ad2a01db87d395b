import { markReadJob, showTypingJob } from '../../src/messaging/jobs.ts';
import { receivedMessage } from '../../src/messaging/mark-read.ts';
import { asChannel, channelDeleted } from '../channels/as-channel.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';

/** The call is idempotent, so a lost answer means another call. */
async function tellRead(context: RunContext<unknown>, id: string, isTyping: boolean): Promise<Outcome> {
  const [message] = await receivedMessage(context.own, { id });
  // Without the provider's id its contact was erased meanwhile.
  if (!message?.provider_message_id) return context.finish();
  if (message.channel_deleted_at) return context.fail(channelDeleted);
  const account = {
    phoneNumberId: message.phone_number_id,
    accountId: message.account_id,
    accessToken: context.secrets.open(message.access_token),
  };
  const read = { providerMessageId: message.provider_message_id, isTyping };
  const channel = { id: message.channel_id, sealedToken: message.access_token };
  await asChannel(context, channel, () => context.providers.messagingApp.markRead(account, read));
  return context.finish();
}

export const markRead = handle(markReadJob, ({ message_id }, context) => tellRead(context, message_id, false));
export const showTyping = handle(showTypingJob, ({ message_id }, context) => tellRead(context, message_id, true));
