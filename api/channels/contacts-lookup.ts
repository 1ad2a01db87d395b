import Joi from 'joi';
import { findChannel } from '../../src/channels/queries.ts';
import { phoneNumber } from '../../src/contacts/identities/phone.ts';
import { findProfile, type Profile } from '../../src/contacts/profiles.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { appUserId, data } from '../contacts/schemas.ts';
import { endpoint } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';

const text = Joi.string().allow('').required();
const profileView = view(
  Joi.object({
    channel_id: id.required(),
    phone: text.description('International format with +; empty when the person shows none'),
    user_id: text.description("The messaging app's own id of the person"),
    username: text,
    name: text.description('As the person calls himself'),
    last_seen_at: timestamp.required().description('When he last wrote to this channel'),
  }),
  {
    channel_id: exampleIds.channel,
    phone: '+16505551234',
    user_id: 'US.13491208655302741918',
    username: '@sheena',
    name: 'Sheena Nelson',
    last_seen_at: exampleTime,
  },
);

const toProfileView = (channelId: string, { profile_phone, profile_user_id, ...row }: Profile) => ({
  channel_id: channelId,
  phone: profile_phone && `+${profile_phone}`,
  user_id: profile_user_id,
  username: row.profile_username,
  name: row.profile_name,
  last_seen_at: iso(row.last_inbound_at),
});

export const lookUpOnChannel = endpoint({
  method: 'post',
  path: '/v1/channels/:channelID/contacts/lookup',
  operationId: 'channels.contacts.lookup',
  tag: 'Channels',
  scope: 'contacts:read',
  summary: 'Find what the provider told of a person on a channel',
  description:
    'Of people who wrote to this channel, as its provider named them last; 404 for everybody else. Stored contacts are found by `contacts.lookup`.',
  subject: 'Channel',
  body: Joi.object<{ phone?: string; user_id?: string }>({ phone: phoneNumber, user_id: appUserId }).xor('phone', 'user_id'),
  responses: { 200: wrapped(profileView) },
  example: { body: { phone: '+16505551234' } },
  async handler({ params, body, caller, em, own }) {
    const { organizationId } = caller;
    const channel = await findChannel(em, organizationId, params.channelID);
    if (!channel) throw notFound('Channel');
    const profile = await findProfile(own, channel.id, { phone: body.phone, userId: body.user_id });
    if (!profile) throw notFound('Contact');
    return data(toProfileView(channel.id, profile));
  },
});
