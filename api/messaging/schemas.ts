import Joi from 'joi';
import type { MessageRow } from '../../src/messaging/queries.ts';
import { exampleIds, examplePhone, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, withExample } from '../http/view.ts';

export const failure = Joi.object({
  code: Joi.string().required(),
  provider_code: Joi.string().allow(null).required(),
  message: Joi.string().required(),
});

/** With a message as it is accepted. */
export const messageView = view(
  'message',
  Joi.object({
    id: id.required(),
    channel_id: Joi.string().required(),
    to_phone: Joi.string().allow('').required().description('Digits, no +; empty when the person shows no phone'),
    type: Joi.string().required(),
    status: Joi.string().required().description('queued sending sent delivered read failed, or received; more may come'),
    provider_message_id: Joi.string().allow('').required().description('Empty until the provider has taken it'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
    direction: Joi.string().valid('inbound', 'outbound').required(),
    conversation_id: id.required(),
    contact_id: id.allow(null).required().description('null: the contact was erased'),
    content: Joi.object()
      .unknown()
      .required()
      .description(
        "What was sent or received, in the provider's form. Beside it: `media` (`status`: pending, stored, gone, too_large, failed) and `asset_id`, for the file of a received message; `edited` and `deleted`, with the time, for one that was changed (a deleted one has lost its words); `context_from` (who wrote the message that it answers), `identity` (the hash of the person's phone), `referral` (the advertisement or post it came from), `forwarded`, `frequently_forwarded`, `referred_product` (what it asks about) and `errors` (what the provider could not bring), as the provider says them of a received message",
      ),
    failure: failure.allow(null).required(),
    campaign_id: id.allow(null).required().description('The campaign that sent it; null: none'),
    send_at: timestamp.description('Of a message that was scheduled'),
    provider_at: timestamp.description(
      'Of a message that came from the provider, of the phone app too: when it was written, in whole seconds. `created_at` is when it came in, and the order of lists',
    ),
    from_phone: Joi.string().allow('').description('Of a received message: digits, no +; empty when the person shows no phone'),
    context: Joi.object({
      message_id: id.allow(null).required().description('null: Kanal does not have it'),
      provider_message_id: Joi.string().required().description("The provider's id of the message, as that message shows it"),
    }).description('The message this one answers or reacts to; absent when there is none'),
  }),
  {
    id: exampleIds.message,
    channel_id: exampleIds.channel,
    to_phone: examplePhone,
    type: 'text',
    status: 'queued',
    provider_message_id: '',
    created_at: exampleTime,
    updated_at: exampleTime,
    direction: 'outbound',
    conversation_id: exampleIds.conversation,
    contact_id: exampleIds.contact,
    content: { body: 'Your order is on its way' },
    failure: null,
    campaign_id: null,
  },
);

/** A moment later. */
export const sentMessage = withExample(messageView, {
  status: 'delivered',
  provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
  updated_at: '2026-11-21T10:00:02.000Z',
});

type Context = { message_id: string | null; provider_message_id: string };

/** Field by field, and no object within it that is spread: a page makes a hundred of them. */
export function toMessageView(row: MessageRow) {
  const shown: ReturnType<typeof shownOf> & {
    send_at?: string;
    provider_at?: string;
    from_phone?: string;
    context?: Context;
  } = shownOf(row);
  if (row.send_at !== null) shown.send_at = iso(row.send_at);
  if (row.provider_at !== null) shown.provider_at = iso(row.provider_at);
  if (row.direction === 'inbound') shown.from_phone = row.from_phone;
  if (row.context_id !== null) shown.context = { message_id: row.context_message_id, provider_message_id: row.context_id };
  return shown;
}

const shownOf = (row: MessageRow) => ({
  id: row.id,
  channel_id: row.channel_id,
  to_phone: row.to_phone,
  type: row.type,
  status: row.status,
  provider_message_id: row.provider_message_id ?? '',
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  direction: row.direction,
  conversation_id: row.conversation_id,
  contact_id: row.contact_id,
  content: row.content,
  failure: row.failure,
  campaign_id: row.campaign_id,
});
