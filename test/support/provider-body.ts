import { randomUUID } from 'node:crypto';
import type { Channel } from './app.ts';

type Numbered = Pick<Channel, 'phoneNumberId' | 'wabaId'>;
type Json = Record<string, unknown>;

const seconds = () => String(Math.floor(Date.now() / 1000));

/** One change of a provider's body, for the number of a channel. */
export const change = ({ phoneNumberId }: Numbered, value: Json, field = 'messages') => ({
  field,
  value: { messaging_product: 'whatsapp', metadata: { display_phone_number: '1', phone_number_id: phoneNumberId }, ...value },
});

export const bodyOf = (...entries: { id: string; changes: unknown[] }[]) => ({
  object: 'whatsapp_business_account',
  entry: entries,
});

export const entry = ({ wabaId }: Numbered, ...changes: unknown[]) => ({ id: wabaId, time: Number(seconds()), changes });

/** A whole body with one change. */
export const bodyFor = (channel: Numbered, value: Json, field?: string) => bodyOf(entry(channel, change(channel, value, field)));

export const newId = () => `wamid.${randomUUID()}`;

export const textFrom = (phone: string, more: Json = {}) => ({
  from: phone,
  id: newId(),
  timestamp: seconds(),
  type: 'text',
  text: { body: 'Hello' },
  ...more,
});

export const inboundFrom = (phone: string, more: Json = {}) => ({
  contacts: [{ profile: { name: 'Sheena' }, wa_id: phone }],
  messages: [textFrom(phone, more)],
});

export const statusOf = (id: string, status: string, more: Json = {}) => ({ id, status, timestamp: seconds(), ...more });

export const failure = (code: number, message = 'Message undeliverable') => ({
  errors: [{ code, title: message, message, error_data: { details: message } }],
});
