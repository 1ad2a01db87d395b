import Joi from 'joi';
import type { ChannelRow } from '../../src/channels/queries.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const aboutChannel = { tag: 'Channels', subject: 'Channel', audit: 'channel' } as const;

export const token = Joi.string().trim().min(1).max(4096);
/** It is sent to the provider in a header. */
export const accessToken = token
  .pattern(/^[\x20-\x7e]*$/)
  .messages({ 'string.pattern.base': '{{#label}} must be ASCII without control characters' });

export const channelView = view(
  'channel',
  Joi.object({
    id: id.required(),
    name: Joi.string().allow('').required(),
    provider: Joi.string().required(),
    phone_number_id: Joi.string().required(),
    waba_id: Joi.string().required(),
    display_phone: Joi.string().allow('').required(),
    status: Joi.string().valid('connected', 'disconnected', 'auth_error', 'restricted').required(),
    rate: Joi.number().integer().required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.channel,
    name: 'Support',
    provider: 'messaging_app',
    phone_number_id: '100000000000001',
    waba_id: '200000000000001',
    display_phone: '+1 555-010-0001',
    status: 'connected',
    rate: 80,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toView = (row: ChannelRow) => ({
  id: row.id,
  name: row.name,
  provider: row.provider,
  phone_number_id: row.phone_number_id,
  waba_id: row.account_id,
  display_phone: row.display_phone,
  status: row.status,
  rate: row.rate,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
