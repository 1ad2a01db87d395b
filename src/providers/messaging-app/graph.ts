import { ProviderFailed, ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { GraphClient } from './client.ts';
import { graphFlows } from './flows.ts';
import { object } from './json.ts';
import { plainTypeOf } from './media-streams.ts';
import { onboardingCalls, type ProviderApp } from './onboarding-calls.ts';
import { type Address, type MessagingApp, mediaTooLarge, type OutboundMessage } from './provider.ts';
import {
  checkDone,
  checkListed,
  hasEntries,
  toAccepted,
  toHealth,
  toIdPage,
  toMedia,
  toNumber,
  toUploaded,
  userFault,
} from './replies.ts';
import { graphTemplates } from './templates.ts';

/** Pages of 100, far more than an account may have. A request waits for them. */
const maxNumberPages = 10;

export function graphMessagingApp(client: GraphClient, app?: ProviderApp): MessagingApp {
  return {
    ...onboardingCalls(client, app),

    async readNumber({ phoneNumberId, accessToken }) {
      return toNumber(await client.get(phoneNumberId, accessToken, { fields: 'id,display_phone_number,verified_name' }));
    },

    async ownsNumber({ phoneNumberId, accountId, accessToken }) {
      let after: string | undefined;
      for (let page = 0; page < maxNumberPages; page += 1) {
        const search = { fields: 'id', limit: '100', ...(after && { after }) };
        const read = toIdPage(await client.get(`${accountId}/phone_numbers`, accessToken, search));
        if (read.ids.includes(phoneNumberId)) return true;
        after = read.after;
        if (!after) return false;
      }
      throw new ProviderFailed(`The account has more than ${maxNumberPages * 100} numbers`);
    },

    async readHealth({ phoneNumberId, accessToken }) {
      const fields = 'id,verified_name,name_status,quality_rating,messaging_limit_tier,throughput';
      return toHealth(await client.get(phoneNumberId, accessToken, { fields }));
    },

    async isSubscribed({ accountId, accessToken }) {
      return hasEntries(await client.get(`${accountId}/subscribed_apps`, accessToken));
    },

    ...graphTemplates(client),
    ...graphFlows(client),

    async send({ phoneNumberId, accessToken }, message) {
      return toAccepted(await client.post(`${phoneNumberId}/messages`, accessToken, toWire(message)));
    },

    async markRead({ phoneNumberId, accessToken }, { providerMessageId, isTyping }) {
      checkDone(
        await client.post(`${phoneNumberId}/messages`, accessToken, {
          messaging_product: 'whatsapp',
          status: 'read',
          message_id: providerMessageId,
          ...(isTyping && { typing_indicator: { type: 'text' } }),
        }),
      );
    },

    async blockUser({ phoneNumberId, accessToken }, who) {
      checkListed(await client.post(`${phoneNumberId}/block_users`, accessToken, toBlock(who), userFault), 'added_users', who);
    },

    async unblockUser({ phoneNumberId, accessToken }, who) {
      checkListed(
        await client.delete(`${phoneNumberId}/block_users`, accessToken, toBlock(who), userFault),
        'removed_users',
        who,
      );
    },

    async fetchMedia({ accessToken }, { mediaId, maxBytes }, take) {
      const { url, mimeType, bytes } = toMedia(await client.get(mediaId, accessToken));
      if (bytes !== undefined && bytes > maxBytes)
        throw new ProviderRefused(`The file has ${bytes} bytes, ${maxBytes} are allowed`, { code: mediaTooLarge });
      return client.download(url, accessToken, { maxBytes, bytes }, (stream) => take({ mimeType, stream }));
    },

    async uploadMedia({ phoneNumberId, accessToken }, file) {
      try {
        const fields = { messaging_product: 'whatsapp', type: plainTypeOf(file.mimeType) };
        return toUploaded(await client.upload(`${phoneNumberId}/media`, accessToken, { fields, fileName: 'file', file }));
      } catch (error) {
        // Another upload is harmless, unlike another message.
        if (error instanceof ProviderUnknown) throw new ProviderFailed(error.message, { cause: error });
        throw error;
      }
    },
  };
}

const toBlock = ({ phone, userId }: Address) => ({
  messaging_product: 'whatsapp',
  block_users: [phone ? { user: `+${phone}` } : { user_id: userId }],
});

function toWire({ callbackData, toPhone, toUserId, type, content, contextId }: OutboundMessage) {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(toPhone ? { to: toPhone } : { recipient: toUserId }),
    type,
    [type]: contentOnWire(type, content, contextId),
    ...(contextId && type !== 'reaction' && { context: { message_id: contextId } }),
    biz_opaque_callback_data: callbackData,
  };
}

function contentOnWire(type: string, content: OutboundMessage['content'], contextId: string | undefined): unknown {
  if (type === 'template') return { ...content, language: { code: content.language } };
  if (type === 'contacts') return content.contacts;
  if (type === 'interactive' && content.type === 'flow') return flowOnWire(content);
  return type === 'reaction' ? { ...content, message_id: contextId } : content;
}

/** There is one version of the message that opens a flow. */
function flowOnWire(content: OutboundMessage['content']) {
  const action = object(content.action);
  const parameters = { flow_message_version: '3', ...object(action.parameters) };
  return { ...content, action: { ...action, name: 'flow', parameters } };
}
