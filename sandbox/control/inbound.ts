import Joi from 'joi';
import type { Account } from '../accounts.ts';
import { messageId } from '../ids.ts';
import type { State } from '../state.ts';
import { encode } from '../webhooks/encode.ts';
import { envelope, unixSeconds } from '../webhooks/envelope.ts';
import { ControlError, check } from './check.ts';

interface Inbound {
  phone_number_id: string;
  message: Record<string, unknown> & { id?: string; from?: string; from_user_id?: string; type?: string; timestamp?: string };
  contact: { profile?: object; wa_id?: string; user_id?: string };
  /** A file of the person: kept, and named in the message by its id. */
  media?: { mime_type: string; base64: string };
}

const types = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'reaction',
  'button',
  'interactive',
  'order',
  'system',
];

const inboundSchema = Joi.object<Inbound>({
  phone_number_id: Joi.string().required(),
  message: Joi.object({
    id: Joi.string(),
    from: Joi.string(),
    from_user_id: Joi.string(),
    type: Joi.string(),
    timestamp: Joi.string().pattern(/^\d+$/, 'seconds'),
  })
    .unknown()
    .required(),
  contact: Joi.object({ profile: Joi.object().unknown(), wa_id: Joi.string().pattern(/^\d+$/, 'digits'), user_id: Joi.string() })
    .unknown()
    .default({}),
  // Joi's own pattern for Base64 overflows the stack on a few megabytes.
  media: Joi.object({ mime_type: Joi.string().required(), base64: Joi.string().required() }),
});

const batchSchema = Joi.object<{ inbounds: Inbound[] }>({ inbounds: Joi.array().items(inboundSchema).min(1).required() });

/** A user writes: opens the window and sends the webhook, unless the number blocks the user. */
export function receiveInbound(state: State, body: unknown): object {
  if (typeof body === 'object' && body !== null && 'inbounds' in body) {
    const prepared = check(batchSchema, body).inbounds.map((inbound) => prepare(state, inbound));
    return { message_ids: prepared.map((one) => deliver(state, one)) };
  }
  return { message_id: deliver(state, prepare(state, check(inboundSchema, body))) };
}

interface Prepared {
  account: Account;
  message: Inbound['message'] & { id: string; timestamp: string };
  contact: Inbound['contact'];
}

function prepare(state: State, { phone_number_id, message, contact, media }: Inbound): Prepared {
  const account = state.accounts.ofNumber(phone_number_id);
  if (!account) throw new ControlError(422, `"phone_number_id" ${phone_number_id} is not a number of this sandbox`);
  const from = message.from ?? contact.wa_id;
  const fromUserId = message.from_user_id ?? contact.user_id;
  const user = from ?? fromUserId;
  if (user === undefined) throw new ControlError(422, 'one of "message.from", "contact.wa_id" and "contact.user_id" is needed');
  const type = message.type ?? types.find((known) => message[known] !== undefined);
  if (type === undefined) throw new ControlError(422, '"message.type" is missing and no known content tells it');
  return {
    account,
    message: {
      ...(from === undefined ? {} : { from }),
      ...(fromUserId === undefined ? {} : { from_user_id: fromUserId }),
      id: message.id ?? messageId(user, 'in'),
      timestamp: message.timestamp ?? unixSeconds(),
      type,
      ...message,
      ...(media && { [type]: { ...fileOf(state, account, media), ...(message[type] as object | undefined) } }),
    },
    contact: {
      profile: { name: 'Sandbox User' },
      ...(from === undefined ? {} : { wa_id: from }),
      ...(fromUserId === undefined ? {} : { user_id: fromUserId }),
      ...contact,
    },
  };
}

function fileOf(state: State, { phone_number_id, access_token }: Account, { mime_type, base64 }: NonNullable<Inbound['media']>) {
  const bytes = Buffer.from(base64, 'base64');
  const { id, sha256 } = state.media.add({ phoneNumberId: phone_number_id, token: access_token, mimeType: mime_type, bytes });
  return { mime_type, sha256: Buffer.from(sha256, 'hex').toString('base64'), id };
}

function deliver(state: State, { account, message, contact }: Prepared): string {
  // Written and never seen: it opens no window either.
  if (state.blocks.has(account.phone_number_id, contact)) return message.id;
  state.windows.opened(account.phone_number_id, contact, Number(message.timestamp) * 1_000);
  // The provider names no contact with a system message.
  const contacts = message.type === 'system' ? {} : { contacts: [contact] };
  state.webhooks.push(account.phone_number_id, encode(envelope(account, { ...contacts, messages: [message] })));
  return message.id;
}
