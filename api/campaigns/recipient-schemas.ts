import Joi from 'joi';
import type { RecipientRow } from '../../src/campaigns/recipients/list.ts';
import { recipientStatuses } from '../../src/campaigns/states.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Campaigns';

export const aboutRecipients = { tag, subject: 'Campaign' };

/** Recipients are people. `isWriting`: it makes some. Throws 403. */
export function assertSeesContacts(caller: Caller, isWriting = false): void {
  const needed = isWriting ? 'contacts:write' : 'contacts:read';
  if (!caller.scopes.has(needed)) throw new AppError('forbidden', `Recipients are contacts: this takes ${needed} too`);
}

const text = Joi.string().allow('').required();
const at = (what: string) => timestamp.allow(null).required().description(what);

const contactView = Joi.object({
  id: id.required(),
  name: text,
  phone_number: text,
});

export const recipientView = view(
  'campaign_recipient',
  Joi.object({
    id: id.required(),
    contact_id: id.allow(null).required().description('null: the contact was erased'),
    contact: contactView.allow(null).required(),
    channel_id: id.required(),
    variant_id: text.description('Empty until the campaign is prepared'),
    status: Joi.string()
      .valid(...recipientStatuses)
      .required(),
    reason: text.description('Why it was skipped'),
    failure_code: text.description("Of the message that failed: the provider's code, else ours"),
    zone: text.description('Whose clock counts for it'),
    due_at: timestamp.required().description('Not before; quiet hours come on top'),
    parameters: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
    message_id: id.allow(null).required(),
    attempts: Joi.number().integer().required(),
    queued_at: at('When its message was made'),
    sent_at: at('When the provider took it'),
    delivered_at: at('When it was delivered'),
    read_at: at('When it was read'),
    failed_at: at('When it failed'),
    replied_at: at('When the person wrote first after it'),
    clicked_at: at('When the person first used a button or a link of it'),
    opted_out_at: at('When the person opted out after it'),
    created_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('recipient'),
    contact_id: exampleIds.contact,
    contact: { id: exampleIds.contact, name: 'Sheena Nelson', phone_number: '+16505551234' },
    channel_id: exampleIds.channel,
    variant_id: 'a',
    status: 'delivered',
    reason: '',
    failure_code: '',
    zone: 'America/Los_Angeles',
    due_at: exampleTime,
    parameters: { code: 'SPRING-7' },
    message_id: exampleIds.message,
    attempts: 1,
    queued_at: exampleTime,
    sent_at: '2026-11-21T10:00:01.000Z',
    delivered_at: '2026-11-21T10:00:02.000Z',
    read_at: null,
    failed_at: null,
    replied_at: null,
    clicked_at: null,
    opted_out_at: null,
    created_at: exampleTime,
  },
);

const isoOrNull = (time: string | null) => (time === null ? null : iso(time));

export const toRecipientView = (row: RecipientRow) => ({
  id: row.id,
  contact_id: row.contact_id,
  contact: row.contact_id === null ? null : { id: row.contact_id, name: row.name ?? '', phone_number: row.phone_number ?? '' },
  channel_id: row.channel_id,
  variant_id: row.variant_id,
  status: row.status,
  reason: row.reason,
  failure_code: row.failure_code,
  zone: row.zone,
  due_at: iso(row.due_at),
  parameters: row.parameters,
  message_id: row.message_id,
  attempts: row.attempts,
  queued_at: isoOrNull(row.queued_at),
  sent_at: isoOrNull(row.sent_at),
  delivered_at: isoOrNull(row.delivered_at),
  read_at: isoOrNull(row.read_at),
  failed_at: isoOrNull(row.failed_at),
  replied_at: isoOrNull(row.replied_at),
  clicked_at: isoOrNull(row.clicked_at),
  opted_out_at: isoOrNull(row.opted_out_at),
  created_at: iso(row.created_at),
});
