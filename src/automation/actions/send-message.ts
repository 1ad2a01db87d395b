import Joi from 'joi';
import { phoneNumber } from '../../contacts/identities/phone.ts';
import { type ContentBody, contentIn, sendInConversationBody } from '../../messaging/send-body.ts';
import { type SendRequest, targetOfConversation } from '../../messaging/send-target.ts';
import { locksOfSend, sendWithin } from '../../messaging/send-within.ts';
import { invalidField } from '../../platform/errors.ts';
import { id } from '../../platform/ids.ts';
import { contactOf } from './about.ts';
import { databaseAction, type StepContext } from './action.ts';
import { sendFaults } from './send-faults.ts';

type Fields = { message: ContentBody; channel_id?: string; to?: string; contact_id?: string; user_id?: string };

/** Whom and where, as the API's body says it. */
async function requestOf(context: StepContext, { message, channel_id, to, contact_id, user_id }: Fields): Promise<SendRequest> {
  const { send_at: sendAt, ...body } = message;
  const said = { ...contentIn(body), sendAt };
  const { conversation_id } = context.run;
  const known = conversation_id ? await targetOfConversation(context.own, conversation_id) : undefined;
  const isAnswer = [channel_id, to, contact_id, user_id].every((one) => one === undefined);
  if (isAnswer && known) return { ...known, ...said };
  const channelId = channel_id ?? known?.channelId;
  if (!channelId) throw invalidField('channel_id', 'The run has no conversation: name the channel that sends');
  if (to) return { channelId, recipient: { phone: to }, ...said };
  if (user_id) return { channelId, recipient: { userId: user_id }, ...said };
  return { channelId, recipient: { contactId: await contactOf(context, contact_id) }, ...said };
}

export const sendMessage = databaseAction<Fields>({
  type: 'send_message',
  description:
    'Sends a message, as `POST /v1/messages` does: consent, suppression and the window of 24 hours hold. It is sent by its own job, in the order of its conversation.',
  scopes: ['messages:write'],
  fields: Joi.object<Fields>({
    message: sendInConversationBody.required().description('Its type, and what it carries in the field of that name'),
    channel_id: id.description("The channel that sends. Default: that of the run's conversation"),
    to: phoneNumber,
    contact_id: id.description("A stored contact. Default: the run's"),
    user_id: Joi.string().trim().min(1).max(128).description("The messaging app's own id of the person"),
  }).oxor('to', 'contact_id', 'user_id'),
  example: { message: { type: 'text', text: { body: 'Hello {{ contact.name }}, we have your message.' } } },
  check: (own, { channel_id, message }) => sendFaults(own, channel_id, message),
  async prepare(context, fields) {
    const { own, secrets } = context;
    const request = await requestOf(context, fields);
    return {
      locks: await locksOfSend(own, secrets, request),
      async write(tx) {
        const { id: message_id, conversation_id, contact_id, channel_id } = await sendWithin(tx, secrets, request);
        return { message_id, conversation_id, contact_id, channel_id };
      },
    };
  },
});
