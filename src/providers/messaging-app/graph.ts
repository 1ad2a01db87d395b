import { ProviderUnknown } from '../errors.ts';
import type { GraphClient } from './client.ts';
import type { MessagingApp, OutboundMessage, ProviderTemplate } from './provider.ts';

type SendReply = { messages?: { id?: unknown }[]; contacts?: { wa_id?: unknown; user_id?: unknown }[] };
type TemplatePage = { data?: Record<string, unknown>[]; paging?: { next?: string; cursors?: { after?: string } } };

const mostPages = 200;
const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The messaging app that speaks the Graph protocol. */
export function graphMessagingApp(client: GraphClient): MessagingApp {
  return {
    async readNumber({ phoneNumberId, accessToken }) {
      const reply = (await client.get(phoneNumberId, accessToken, { fields: 'id,display_phone_number,verified_name' })) as Record<
        string,
        unknown
      >;
      return {
        displayPhone: (text(reply.display_phone_number) ?? '').replace(/\D/g, ''),
        verifiedName: text(reply.verified_name) ?? '',
      };
    },

    async listTemplates({ accountId, accessToken }) {
      const templates: ProviderTemplate[] = [];
      let after: string | undefined;
      for (let page = 0; page < mostPages; page += 1) {
        const reply = (await client.get(`${accountId}/message_templates`, accessToken, {
          limit: '100',
          ...(after && { after }),
        })) as TemplatePage;
        templates.push(...(reply.data ?? []).map(toTemplate));
        after = reply.paging?.next ? reply.paging.cursors?.after : undefined;
        if (!after) break;
      }
      return templates;
    },

    async send({ phoneNumberId, accessToken }, message) {
      const reply = (await client.post(`${phoneNumberId}/messages`, accessToken, toWire(message))) as SendReply;
      const id = text(reply.messages?.[0]?.id);
      if (!id) throw new ProviderUnknown('The provider answered without a message id');
      return { providerMessageId: id, phoneId: text(reply.contacts?.[0]?.wa_id), userId: text(reply.contacts?.[0]?.user_id) };
    },
  };
}

function toWire({ callbackData, toPhone, toUserId, type, content, contextId }: OutboundMessage) {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...(toPhone ? { to: toPhone } : { recipient: toUserId }),
    type,
    [type]: type === 'template' ? { ...content, language: { code: content.language } } : content,
    ...(contextId && { context: { message_id: contextId } }),
    biz_opaque_callback_data: callbackData,
  };
}

function toTemplate(raw: Record<string, unknown>): ProviderTemplate {
  return {
    id: String(raw.id ?? ''),
    name: String(raw.name ?? ''),
    language: String(raw.language ?? ''),
    category: String(raw.category ?? '').toLowerCase(),
    status: String(raw.status ?? ''),
    components: Array.isArray(raw.components) ? raw.components : [],
  };
}
