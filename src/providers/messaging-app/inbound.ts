import Joi from 'joi';
import { cut } from '../../platform/cut.ts';
import { type Amendment, amendingTypes, amendmentIn } from './amendment.ts';
import { besideContent } from './beside-content.ts';
import { type FlowAnswer, flowAnswerIn } from './flow-answer.ts';
import { flowChangeIn, type InboundFlowChange, isFlowField } from './flow-change.ts';
import { changeIn, changesIn, type IdentityChange, type InboundIdentityChange } from './identity-change.ts';
import { type Json, object, textOf } from './json.ts';
import { type InboundNumberNews, isNumberNews, numberNewsIn } from './number-news.ts';
import { type People, peopleOf, profileOf } from './people.ts';
import { type Pricing, pricingOf } from './pricing.ts';
import { type InboundTemplateChange, templateFields, toTemplateChange } from './template-change.ts';

export type InboundMessage = {
  kind: 'message';
  phoneNumberId: string;
  providerMessageId: string;
  at: Date;
  type: string;
  content: Record<string, unknown>;
  contextId?: string;
  /** Written to a group, not to us alone. */
  groupId?: string;
  from: { phoneId?: string; userId?: string; name?: string; username?: string };
  direction: 'inbound' | 'outbound';
  identityChange?: IdentityChange;
  amendment?: Amendment;
  flowAnswer?: FlowAnswer;
};
export type InboundStatus = {
  kind: 'status';
  phoneNumberId: string;
  providerMessageId: string;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  at: Date;
  callbackData?: string;
  error?: { code: string; message: string };
  pricing?: Pricing;
};
export type InboundPreference = {
  kind: 'preference';
  phoneNumberId: string;
  from: InboundMessage['from'];
  choice: 'stop' | 'resume';
  at: Date;
  detail: string;
};
export type { InboundFlowChange, InboundNumberNews };
export type InboundIgnored = { kind: 'ignored'; what: string };
export type InboundPart =
  | InboundMessage
  | InboundStatus
  | InboundTemplateChange
  | InboundFlowChange
  | InboundNumberNews
  | InboundIdentityChange
  | InboundPreference
  | InboundIgnored;

/** `entryId`: the account that the change came for. `time`: of the entry, in seconds, where the change itself has none. */
export type RawChange = { entryId: string; time?: number; change: Record<string, unknown> };

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The provider's ids have some 15 digits. Stored with each change, so it must be short. */
const longestEntryId = 64;

/** The first `max` changes. Throws when it is not a webhook body. */
export function changesOf(body: unknown, max = Number.POSITIVE_INFINITY): RawChange[] {
  const entries = object(body).entry;
  if (!Array.isArray(entries)) throw new Error('The body has no entries');
  const found: RawChange[] = [];
  for (const entry of entries) {
    const { id, time, changes } = object(entry);
    const entryId = cut(textOf(id), longestEntryId);
    for (const change of list(changes)) {
      if (found.length >= max) return found;
      const read = object(change);
      const isTimed = typeof time === 'number' && hasTimeOfEntry(read.field);
      found.push({ entryId, ...(isTimed && { time }), change: read });
    }
  }
  return found;
}

/** Those whose change has no time of its own. */
const hasTimeOfEntry = (field: unknown) => templateFields.has(field) || isFlowField(field) || isNumberNews(textOf(field));

export const phoneNumberIdOf = ({ change }: RawChange): string | undefined =>
  textOf(object(object(change.value).metadata).phone_number_id) || undefined;

const messageShape = Joi.object({
  id: Joi.string().min(1).max(512).required(),
  timestamp: Joi.alternatives(Joi.string().pattern(/^\d{1,12}$/), Joi.number().integer()).required(),
  type: Joi.string().max(64).required(),
}).unknown();
const statusShape = Joi.object({
  id: Joi.string().min(1).max(512).required(),
  status: Joi.string().max(32).required(),
  timestamp: Joi.alternatives(Joi.string().pattern(/^\d{1,12}$/), Joi.number().integer()).required(),
}).unknown();
const preferenceShape = Joi.object({
  category: Joi.string().max(64).required(),
  value: Joi.string().max(64).required(),
  timestamp: Joi.alternatives(Joi.string().pattern(/^\d{1,12}$/), Joi.number().integer()).required(),
}).unknown();
const known = new Set([
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'reaction',
  'interactive',
  'button',
  'order',
  'system',
  ...amendingTypes,
]);

const check = (shape: Joi.ObjectSchema, value: unknown): Json => {
  const { value: read, error } = shape.validate(value);
  if (error) throw new Error(`Not understood: ${error.message}`);
  return read as Json;
};
const atOf = (timestamp: unknown) => {
  const at = new Date(Number(timestamp) * 1000);
  if (Number.isNaN(at.getTime())) throw new Error('Not understood: timestamp');
  return at;
};

/** A bad part does not spoil the others. Linear in what it reads: a tenant's own app may sign any body. */
export function partsOf(
  raw: RawChange,
  max = Number.POSITIVE_INFINITY,
): (InboundPart | { kind: 'broken'; error: string; raw: unknown })[] {
  const field = cut(textOf(raw.change.field), 100);
  const value = object(raw.change.value);
  const guarded = (items: unknown[], read: (item: unknown) => InboundPart) =>
    items.map((item) => {
      try {
        return read(item);
      } catch (error) {
        return { kind: 'broken' as const, error: (error as Error).message, raw: item };
      }
    });
  if (field === 'messages' || field === 'smb_message_echoes') {
    const phoneNumberId = phoneNumberIdOf(raw);
    if (!phoneNumberId) return [{ kind: 'broken', error: 'Not understood: no phone_number_id', raw: raw.change }];
    const isEcho = field === 'smb_message_echoes';
    const people = peopleOf(value);
    const messages = guarded(list(isEcho ? value.message_echoes : value.messages).slice(0, max), (item) =>
      toMessage(item, people, phoneNumberId, isEcho),
    );
    const statuses = guarded(list(value.statuses).slice(0, max - messages.length), (item) => toStatus(item, phoneNumberId));
    const parts = messages.concat(statuses);
    return parts.length > 0
      ? parts
      : [
          {
            kind: Array.isArray(value.messages) || Array.isArray(value.statuses) || value.errors ? 'ignored' : 'broken',
            what: field,
            error: 'Not understood: neither messages nor statuses',
            raw: raw.change,
          },
        ];
  }
  if (templateFields.has(field)) return guarded([value], (item) => toTemplateChange(field, object(item), raw));
  if (isFlowField(field))
    return guarded(
      [value],
      () => flowChangeIn(value, raw) ?? { kind: 'ignored', what: `flows ${cut(textOf(value.event), 100)}` },
    );
  if (isNumberNews(field)) return guarded([value], (item) => numberNewsIn(field, object(item), raw));
  if (field === 'user_id_update') {
    const phoneNumberId = phoneNumberIdOf(raw);
    const changes = changesIn(value, max).map((change) => ({ kind: 'identity_change' as const, phoneNumberId, change }));
    return changes.length > 0 ? changes : [{ kind: 'broken', error: 'Not understood: no user ids', raw: raw.change }];
  }
  if (field === 'user_preferences') {
    const phoneNumberId = phoneNumberIdOf(raw);
    if (!phoneNumberId || !Array.isArray(value.user_preferences))
      return [{ kind: 'broken', error: 'Not understood: no phone_number_id or no preferences', raw: raw.change }];
    const people = peopleOf(value);
    return guarded(value.user_preferences.slice(0, max), (item) => toPreference(item, people, phoneNumberId));
  }
  return [{ kind: 'ignored', what: field }];
}

function toMessage(item: unknown, people: People, phoneNumberId: string, isEcho: boolean): InboundMessage | InboundIgnored {
  const message = check(messageShape, item);
  const groupId = textOf(message.group_id);
  if (isEcho && groupId) return { kind: 'ignored', what: 'group message of our own' };
  const type = String(message.type);
  const address = isEcho
    ? { phoneId: message.to, userId: message.to_user_id }
    : { phoneId: message.from, userId: message.from_user_id };
  const phoneId = textOf(address.phoneId) || undefined;
  const person = (phoneId ? people.byPhoneId.get(phoneId) : people.byUserId.get(textOf(address.userId))) ?? people.only ?? {};
  const shownPhoneId = phoneId ?? textOf(person.wa_id);
  const userId = textOf(address.userId) || textOf(person.user_id);
  const from = {
    ...(shownPhoneId && { phoneId: shownPhoneId }),
    ...(userId && { userId }),
    ...profileOf(person),
  };
  if (!from.phoneId && !from.userId) throw new Error('Not understood: nobody it is from');
  // A reaction names its message in its content.
  const contextId = textOf(type === 'reaction' ? object(message.reaction).message_id : object(message.context).id);
  const isKnown = known.has(type);
  const identityChange = type === 'system' && !isEcho ? changeIn(message) : undefined;
  const amendment = amendmentIn(message);
  const content = isKnown && type in message ? message[type] : undefined;
  const flowAnswer = type === 'interactive' && !isEcho ? flowAnswerIn(object(content)) : undefined;
  return {
    kind: 'message',
    phoneNumberId,
    providerMessageId: String(message.id),
    at: atOf(message.timestamp),
    type: isKnown ? type : 'unsupported',
    content:
      typeof content !== 'object' || content === null
        ? { raw: message }
        : { ...(Array.isArray(content) ? { [type]: content } : object(content)), ...(!isEcho && besideContent(message)) },
    ...(contextId && { contextId }),
    ...(groupId && { groupId }),
    from,
    direction: isEcho ? 'outbound' : 'inbound',
    ...(identityChange && { identityChange }),
    ...(amendment && { amendment }),
    ...(flowAnswer && { flowAnswer }),
  };
}

function toStatus(item: unknown, phoneNumberId: string): InboundPart {
  const status = check(statusShape, item);
  const word = status.status === 'played' ? 'read' : String(status.status);
  if (status.recipient_type === 'group') return { kind: 'ignored', what: 'group status' };
  if (!['sent', 'delivered', 'read', 'failed'].includes(word)) return { kind: 'ignored', what: `status ${word}` };
  const fault = object(list(status.errors)[0]);
  const details = object(fault.error_data).details;
  return {
    kind: 'status',
    phoneNumberId,
    providerMessageId: String(status.id),
    status: word as InboundStatus['status'],
    at: atOf(status.timestamp),
    ...pricingOf(status),
    ...(typeof status.biz_opaque_callback_data === 'string' && { callbackData: status.biz_opaque_callback_data }),
    ...(word === 'failed' && {
      error: {
        code: textOf(fault.code) || 'unknown',
        message: textOf(details) || textOf(fault.message) || textOf(fault.title) || 'The provider could not deliver it',
      },
    }),
  };
}

function toPreference(item: unknown, people: People, phoneNumberId: string): InboundPart {
  const preference = check(preferenceShape, item);
  const { category, value: choice } = preference;
  if (category !== 'marketing_messages' || (choice !== 'stop' && choice !== 'resume'))
    return { kind: 'ignored', what: `preference ${category} ${choice}` };
  const [phoneId, userId] = [textOf(preference.wa_id), textOf(preference.user_id)];
  if (!phoneId && !userId) throw new Error('Not understood: nobody it is from');
  return {
    kind: 'preference',
    phoneNumberId,
    from: {
      ...(phoneId && { phoneId }),
      ...(userId && { userId }),
      ...profileOf((phoneId ? people.byPhoneId.get(phoneId) : people.byUserId.get(userId)) ?? {}),
    },
    choice,
    at: atOf(preference.timestamp),
    detail: cut(textOf(preference.detail), 500),
  };
}
