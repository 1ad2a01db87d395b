import Joi from 'joi';
import { phoneNumber } from '../contacts/identities/phone.ts';
import { id } from '../platform/ids.ts';
import { moment } from '../platform/schemas/moment.ts';
import { contactCards } from './content/contact-cards.ts';
import { interactive } from './content/interactive.ts';
import { location } from './content/location.ts';
import { audio, document, image, sticker, video } from './content/media.ts';
import { reaction } from './content/reaction.ts';
import { template, text } from './content/text.ts';
import { maxScheduleDays } from './send.ts';

/** What each type of message carries, in the field of its name. */
const contents = {
  text,
  template,
  image,
  video,
  audio,
  document,
  sticker,
  location,
  contacts: contactCards,
  reaction,
  interactive,
};

export type SendType = keyof typeof contents;
export const sendTypes = Object.keys(contents) as SendType[];

export type ContentBody = {
  type: SendType;
  context?: { message_id: string };
  send_at?: string;
} & { [Type in SendType]?: Type extends 'contacts' ? unknown[] : Record<string, unknown> };

export type SendBody = ContentBody & {
  channel_id: string;
  to?: string;
  contact_id?: string;
  user_id?: string;
};

const contentOf = (type: string, schema: Joi.Schema) =>
  // biome-ignore lint/suspicious/noThenProperty: Joi's own word
  schema.when('type', { is: type, then: Joi.required(), otherwise: Joi.forbidden() });

/** A reaction names its message itself. */
const answering = sendTypes.filter((type) => type !== 'reaction');

const content = {
  type: Joi.string()
    .valid(...sendTypes)
    .required(),
  ...Object.fromEntries(Object.entries(contents).map(([type, schema]) => [type, contentOf(type, schema)])),
  context: Joi.object({ message_id: id.required() })
    .description('The message of this conversation that this one answers')
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word
    .when('type', { is: Joi.valid(...answering), then: Joi.optional(), otherwise: Joi.forbidden() }),
  send_at: moment.description(
    `When it shall go out, within ${maxScheduleDays} days: until then it is \`queued\` and can be called off. A free-form message needs a window that is open then`,
  ),
};

/** `suffix`: of the names that the variants have in the document. */
const asVariants = (suffix: string) => ({
  variants: { discriminator: 'type', names: Object.fromEntries(sendTypes.map((type) => [type, `${type}_${suffix}`])) },
});

export const sendBody = Joi.object<SendBody>({
  channel_id: id.required().description('The channel that sends'),
  to: phoneNumber,
  contact_id: id.description('A stored contact'),
  user_id: Joi.string().trim().min(1).max(128).description("The messaging app's own id of the person"),
  ...content,
})
  .xor('to', 'contact_id', 'user_id')
  .meta(asVariants('message'));

/** To the contact of a conversation, on its channel. */
export const sendInConversationBody = Joi.object<ContentBody>(content).meta(asVariants('in_conversation'));

type Content = { type: SendType; content: Record<string, unknown>; contextMessageId?: string };

/** As it is stored: always an object. A reaction is about a message, as an answer is. */
export function contentIn({ type, context, ...body }: Omit<ContentBody, 'send_at'>): Content {
  const content = type === 'contacts' ? { contacts: body.contacts! } : body[type]!;
  const contextMessageId = type === 'reaction' ? String(content.message_id) : context?.message_id;
  return { type, content: content as Record<string, unknown>, ...(contextMessageId && { contextMessageId }) };
}
