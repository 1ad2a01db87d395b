import Joi from 'joi';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import type { MessageRow } from '../../src/messaging/queries.ts';
import { exampleIds, examplePhone, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, withExample } from '../http/view.ts';

const text = Joi.object({
  body: Joi.string().min(1).max(4096).required().description('What the person reads, taken as sent'),
  preview_url: Joi.boolean().strict().description('Show a preview of the first link'),
});

/** Twice the size of ten full carousel cards. */
const maxComponentsBytes = 65_536;

const template = Joi.object({
  name: Joi.string().trim().min(1).max(512).required(),
  language: Joi.string().trim().min(2).max(15).required().description('e.g. en_US'),
  components: Joi.array()
    .items(Joi.object().unknown().max(20))
    .max(10)
    .custom((components: unknown[], { error }) =>
      Buffer.byteLength(JSON.stringify(components)) > maxComponentsBytes
        ? error('components.size', { maxComponentsBytes })
        : components,
    )
    .messages({ 'components.size': '{{#label}} must not be larger than {{#maxComponentsBytes}} bytes as JSON' })
    .description("Parameters of the template's header, body and buttons, in the provider's form"),
});

export type SendBody = {
  channel_id: string;
  to?: string;
  contact_id?: string;
  user_id?: string;
  type: 'text' | 'template';
  text?: { body: string; preview_url?: boolean };
  template?: { name: string; language: string; components?: unknown[] };
  context?: { message_id: string };
};

const contentOf = (type: string, schema: Joi.ObjectSchema) =>
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  schema.when('type', { is: type, then: Joi.required(), otherwise: Joi.forbidden() });

export const sendBody = Joi.object<SendBody>({
  channel_id: id.required().description('The channel that sends'),
  to: phoneNumber,
  contact_id: id.description('A stored contact'),
  user_id: Joi.string().trim().min(1).max(128).description("The messaging app's own id of the person"),
  type: Joi.string().valid('text', 'template').required(),
  text: contentOf('text', text),
  template: contentOf('template', template),
  context: Joi.object({ message_id: id.required() }).description('The message this one answers'),
})
  .xor('to', 'contact_id', 'user_id')
  .meta({ variants: { discriminator: 'type', names: { text: 'text_message', template: 'template_message' } } });

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
    content: Joi.object().unknown().required(),
    failure: failure.allow(null).required(),
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
  },
);

/** A moment later. */
export const sentMessage = withExample(messageView, {
  status: 'delivered',
  provider_message_id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA',
  updated_at: '2026-11-21T10:00:02.000Z',
});

export const toMessageView = (row: MessageRow) => ({
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
});
