import Joi from 'joi';
import { findChannel } from '../../src/channels/queries.ts';
import { type BlockedRow, listBlocked } from '../../src/contacts/blocking/blocked.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const blockedView = view(
  Joi.object({
    contact_id: id.required(),
    phone: Joi.string().allow('').required().description('International format with +; empty when blocked by user id alone'),
    user_id: Joi.string().allow('').required().description("The messaging app's own id of the person, where it is known"),
    blocked_at: timestamp.required(),
  }),
  {
    contact_id: exampleIds.contact,
    phone: '+16505551234',
    user_id: 'US.13491208655302741918',
    blocked_at: exampleTime,
  },
);

const toBlockedView = ({ contact_id, phone, user_id, created_at }: BlockedRow) => ({
  contact_id,
  phone: phone && `+${phone}`,
  user_id,
  blocked_at: iso(created_at),
});

export const listOfBlocked = endpoint({
  method: 'get',
  path: '/v1/channels/:channelID/blocked-contacts',
  operationId: 'channels.blocked-contacts.list',
  tag: 'Channels',
  scope: 'contacts:read',
  summary: 'List the contacts that are blocked on a channel, the last one first',
  subject: 'Channel',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(blockedView) },
  async handler({ params, query, own, em }) {
    const channel = await findChannel(em, own.organizationId, params.channelID);
    if (!channel) throw notFound('Channel');
    return listed(
      'blocked-contacts',
      { channel: channel.id },
      query,
      (page) => listBlocked(own, { channelId: channel.id }, page),
      toBlockedView,
    );
  },
});
